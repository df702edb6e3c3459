/* exchange.cl - what arrives from other partitions */

/* pull: nwords words of the frontier from word on, at in[at ...] */
KERNEL gather_bits(GLB const uint* RESTRICT in, uint at, uint word, uint nwords, GLB uint* front, GLB uint* seen) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) {
    front[word + i] = in[at + i];
    seen[word + i] |= in[at + i];
  }
}

/* pull: n ranks of the frontier at list[at ...] */
KERNEL gather_list(GLB const uint* RESTRICT list, uint at, uint n, GLB uint* front, GLB uint* seen) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) {
    uint v = list[at + i], bit = 1u << (v & 31);
    A_OR(&front[v >> 5], bit);
    A_OR(&seen[v >> 5], bit);
  }
}

/* push: the claims of one sender on nwords words from word on, at in[at ...]. What is
 * new is visited, and its finder is the sender; finder[shift + rank] is its byte. The
 * step's own finds are in seen already. One lane a word. */
KERNEL merge_bits(GLB const uint* RESTRICT in, uint at, uint word, uint nwords,
                  GLB uint* seen, GLB uint* next, GLB u8* finder, uint shift, uint sender) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) {
    uint old = seen[word + i], news = in[at + i] & ~old;
    if (!news) continue;
    seen[word + i] = old | news;
    next[word + i] |= news;
    for (; news; news &= news - 1) finder[shift + 32 * (word + i) + CTZ(news)] = (u8)sender;
  }
}

/* push: the same for n ranks at list[at ...], none of them twice */
KERNEL merge_list(GLB const uint* RESTRICT list, uint at, uint n,
                  GLB uint* seen, GLB uint* next, GLB u8* finder, uint shift, uint sender) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) {
    uint v = list[at + i], bit = 1u << (v & 31);
    if (A_OR(&seen[v >> 5], bit) & bit) continue;
    A_OR(&next[v >> 5], bit);
    finder[shift + v] = (u8)sender;
  }
}
