/* frontier.cl - from bitmaps to lists and counts */

/* Lists the vertices of a chunk whose bit is set in words; counters[count ...] get their
 * number, out-arcs, in-arcs and largest out-degree. One lane per word. */
KERNEL frontier_list(GLB const uint* RESTRICT words, uint first, uint rows,
                     GLB const uint* RESTRICT out, GLB const uint* RESTRICT in,
                     GLB uint* list, uint at, GLB uint* counters, uint count) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, sums, 3);
  SHARED(uint, base, 1);
  uint nwords = (rows + 31) / 32, rounds = (nwords + NGRP * WG - 1) / (NGRP * WG);
  uint outs = 0, ins = 0, most = 0;
  if (LID < 3) sums[LID] = 0;
  for (uint r = 0; r < rounds; r++) {
    uint i = (r * NGRP + GRP) * WG + LID;
    uint w = i < nwords ? words[(first >> 5) + i] : 0u, n = POPC(w);
    uint end = scan(a, b, n);
    if (LID == WG - 1) base[0] = end ? A_ADD(&counters[count], end) : 0u;
    BARRIER();
    for (uint to = at + base[0] + end - n; w; w &= w - 1) {
      uint v = 32 * i + CTZ(w), degree = out[v + 1] - out[v];
      list[to++] = first + v;
      outs += degree;
      ins += in[v + 1] - in[v];
      most = degree > most ? degree : most;
    }
    BARRIER();
  }
  if (outs) LA_ADD(&sums[0], outs);
  if (ins) LA_ADD(&sums[1], ins);
  if (most) LA_MAX(&sums[2], most);
  BARRIER();
  if (LID == 0) {
    if (sums[0]) A_ADD(&counters[count + 1], sums[0]);
    if (sums[1]) A_ADD(&counters[count + 2], sums[1]);
    if (sums[2]) A_MAX(&counters[count + 3], sums[2]);
  }
}

/* Counts the set bits of words word ... word+nwords-1, and lists up to cap of their ranks in
 * list[word ...]. One lane per word. */
KERNEL message_list(GLB const uint* RESTRICT words, uint word, uint nwords, uint cap,
                    GLB uint* list, GLB uint* counters, uint count) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, base, 1);
  uint rounds = (nwords + NGRP * WG - 1) / (NGRP * WG);
  for (uint r = 0; r < rounds; r++) {
    uint i = (r * NGRP + GRP) * WG + LID;
    uint w = i < nwords ? words[word + i] : 0u, n = POPC(w);
    uint end = scan(a, b, n);
    if (LID == WG - 1) base[0] = end ? A_ADD(&counters[count], end) : 0u;
    BARRIER();
    for (uint to = base[0] + end - n; w && to < cap; w &= w - 1) list[word + to++] = 32 * (word + i) + CTZ(w);
    BARRIER();
  }
}
