/* exchange.cl - messages from other partitions */

/* pull: in[at ...] holds words word ... word+nwords-1 of the frontier */
KERNEL gather_bits(GLB const uint* RESTRICT in, uint at, uint word, uint nwords, GLB uint* seen) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) seen[word + i] |= in[at + i];
}

/* pull: list[at ...] holds n ranks of the frontier */
KERNEL gather_list(GLB const uint* RESTRICT list, uint at, uint n, GLB uint* seen) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) A_OR(&seen[list[at + i] >> 5], 1u << (list[at + i] & 31));
}

/* push: in[at ...] holds a sender's claims on words word ... word+nwords-1. Unvisited ranks
 * become visited and their finder, finder[shift + rank], the sender. Own finds of the step
 * are in seen. One lane per word. */
KERNEL merge_bits(GLB const uint* RESTRICT in, uint at, uint word, uint nwords,
                  GLB uint* seen, GLB u8* finder, uint shift, uint sender) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) {
    uint old = seen[word + i], news = in[at + i] & ~old;
    if (!news) continue;
    seen[word + i] = old | news;
    for (; news; news &= news - 1) finder[shift + 32 * (word + i) + CTZ(news)] = (u8)sender;
  }
}

/* push: the same for n different ranks in list[at ...] */
KERNEL merge_list(GLB const uint* RESTRICT list, uint at, uint n,
                  GLB uint* seen, GLB u8* finder, uint shift, uint sender) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) {
    uint v = list[at + i], bit = 1u << (v & 31);
    if (A_OR(&seen[v >> 5], bit) & bit) continue;
    finder[shift + v] = (u8)sender;
  }
}
