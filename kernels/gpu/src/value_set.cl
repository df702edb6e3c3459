/* value_set.cl - arrays and sets of vertices. With LEAST, value_list finds the smallest value too. */

/* sets n entries from at on to the value of a pattern */
KERNEL value_fill(GLB T* to, uint at, uint n, u64 bits) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) to[at + i] = TO_VALUE((BITS)bits);
}

KERNEL value_copy(GLB const T* from, GLB T* to, uint n) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) to[i] = from[i];
}

/* sets the entries of the vertices of nwords words of a set */
KERNEL value_reset(GLB const uint* RESTRICT set, uint word, uint nwords, GLB T* to, u64 bits) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG)
    for (uint w = set[word + i]; w; w &= w - 1) to[32 * (word + i) + CTZ(w)] = TO_VALUE((BITS)bits);
}

/* Lists the vertices of a set in the rows of a chunk; counters[count ...] get their number,
 * out-arcs, in-arcs and largest out-degree, least the smallest value. One lane per word. */
KERNEL value_list(GLB const uint* RESTRICT set, uint first, uint rows, GLB const uint* RESTRICT out,
                  GLB const uint* RESTRICT in, GLB uint* list, uint at, GLB uint* counters, uint count,
                  GLB const T* RESTRICT of, GLB T* least) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, sums, 3);
  SHARED(uint, base, 1);
#ifdef LEAST
  SHARED(T, lows, WG);
  T low = TOP;
#endif
  uint nwords = (rows + 31) / 32, rounds = (nwords + NGRP * WG - 1) / (NGRP * WG);
  uint outs = 0, ins = 0, most = 0;
  if (LID < 3) sums[LID] = 0;
  for (uint r = 0; r < rounds; r++) {
    uint i = (r * NGRP + GRP) * WG + LID;
    uint w = i < nwords ? set[(first >> 5) + i] : 0u, n = POPC(w);
    uint end = scan(a, b, n);
    if (LID == WG - 1) base[0] = end ? A_ADD(&counters[count], end) : 0u;
    BARRIER();
    for (uint to = at + base[0] + end - n; w; w &= w - 1) {
      uint v = 32 * i + CTZ(w), degree = out[v + 1] - out[v];
      list[to++] = first + v;
      outs += degree;
      ins += in[v + 1] - in[v];
      most = degree > most ? degree : most;
#ifdef LEAST
      T x = of[first + v];
      low = x < low ? x : low;
#endif
    }
    BARRIER();
  }
  if (outs) LA_ADD(&sums[0], outs);
  if (ins) LA_ADD(&sums[1], ins);
  if (most) LA_MAX(&sums[2], most);
#ifdef LEAST
  lows[LID] = low;
#endif
  BARRIER();
  if (LID == 0) {
    if (sums[0]) A_ADD(&counters[count + 1], sums[0]);
    if (sums[1]) A_ADD(&counters[count + 2], sums[1]);
    if (sums[2]) A_MAX(&counters[count + 3], sums[2]);
#ifdef LEAST
    for (uint t = 1; t < WG; t++) low = lows[t] < low ? lows[t] : low;
    if (low < TOP) lower(least, low);
#endif
  }
}

/* Moves the vertices of a set in the rows of a chunk whose value is below the bound to a list;
 * counters[count] gets their number. One lane per word. */
KERNEL value_near(GLB uint* set, uint first, uint rows, GLB uint* list, uint at, GLB uint* counters,
                  uint count, GLB const T* RESTRICT of, u64 bound) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, base, 1);
  uint nwords = (rows + 31) / 32, rounds = (nwords + NGRP * WG - 1) / (NGRP * WG);
  for (uint r = 0; r < rounds; r++) {
    uint i = (r * NGRP + GRP) * WG + LID;
    uint w = i < nwords ? set[(first >> 5) + i] : 0u, near = 0;
    for (uint rest = w; rest; rest &= rest - 1)
      if (of[first + 32 * i + CTZ(rest)] < TO_VALUE((BITS)bound)) near |= rest & -rest;
    if (near) set[(first >> 5) + i] = w & ~near;
    uint n = POPC(near), end = scan(a, b, n);
    if (LID == WG - 1) base[0] = end ? A_ADD(&counters[count], end) : 0u;
    BARRIER();
    for (uint to = at + base[0] + end - n; near; near &= near - 1) list[to++] = first + 32 * i + CTZ(near);
    BARRIER();
  }
}

/* counts the vertices of nwords words of a set: totals by block of WG words, and
 * counters[count] in all */
KERNEL value_count(GLB const uint* RESTRICT set, uint word, uint nwords, GLB uint* totals, GLB uint* counters, uint count) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  for (uint block = GRP; block * WG < nwords; block += NGRP) {
    uint i = block * WG + LID;
    uint sum = scan(a, b, i < nwords ? POPC(set[word + i]) : 0u);
    if (LID == WG - 1) {
      totals[block] = sum;
      if (sum) A_ADD(&counters[count], sum);
    }
  }
}

/* Takes the vertices of nwords words of a set in the order of ranks, after value_count: lists
 * them where they are fewer than nwords, and their values where valued is not 0. */
KERNEL value_gather(GLB const uint* RESTRICT set, uint word, uint nwords, GLB const uint* RESTRICT totals,
                    GLB const uint* counters, uint count, GLB uint* list, GLB const T* RESTRICT of, GLB T* values, uint valued) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, base, 1);
  for (uint block = GRP; block * WG < nwords; block += NGRP) {
    uint before = 0;
    if (LID == 0) base[0] = 0;
    BARRIER();
    for (uint k = LID; k < block; k += WG) before += totals[k];
    if (before) LA_ADD(&base[0], before);
    BARRIER();
    uint i = block * WG + LID, w = i < nwords ? set[word + i] : 0u, n = POPC(w);
    for (uint to = base[0] + scan(a, b, n) - n; w; w &= w - 1, to++) {
      uint v = 32 * (word + i) + CTZ(w);
      if (counters[count] < nwords) list[to] = v;
      if (valued) values[to] = of[v];
    }
    BARRIER();
  }
}

/* stores the values of n vertices */
KERNEL value_scatter(GLB const uint* RESTRICT list, GLB const T* RESTRICT values, uint n, GLB T* to) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) to[list[i]] = values[i];
}

/* adds nwords words of a set to another */
KERNEL value_unite(GLB const uint* RESTRICT set, uint word, uint nwords, GLB uint* to) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) to[word + i] |= set[word + i];
}

#if TYPE == 0
/* sets entry i to i, or to ids[i] */
KERNEL value_number(GLB uint* to, GLB const uint* ids, uint n, uint identified) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) to[i] = identified ? ids[i] : i;
}
#endif
