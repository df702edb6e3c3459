/* top-down, one lane per arc of the frontier, for frontiers of mixed degrees: prefix sums of
 * degrees, then a binary search. sums are inclusive within blocks of WG list entries; totals
 * holds the arcs of all earlier blocks. */

KERNEL edge_degrees(GLB const uint* RESTRICT row, GLB const uint* RESTRICT list, uint at, uint n,
                    uint first, GLB uint* sums, GLB uint* totals) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  for (uint block = GRP; block * WG < n; block += NGRP) {
    uint i = block * WG + LID, degree = 0;
    if (i < n) {
      uint r = list[at + i] - first;
      degree = row[r + 1] - row[r];
    }
    uint sum = scan(a, b, degree);
    sums[i] = sum;
    if (LID == WG - 1) totals[block] = sum;
  }
}

/* one group: replaces totals by its exclusive prefix sum */
KERNEL edge_totals(GLB uint* totals, uint blocks) {
  SHARED(uint, a, WG);
  SHARED(uint, b, WG);
  SHARED(uint, carry, 1);
  if (LID == 0) carry[0] = 0;
  BARRIER();
  for (uint at = 0; at < blocks; at += WG) {
    uint i = at + LID, x = i < blocks ? totals[i] : 0u;
    uint sum = scan(a, b, x), before = carry[0];
    if (i < blocks) totals[i] = before + sum - x;
    BARRIER();
    if (LID == WG - 1) carry[0] = before + sum;
    BARRIER();
  }
}

KERNEL topdown_edge(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                    GLB const uint* RESTRICT list, uint at, uint n, uint first,
                    GLB uint* seen, GLB uint* next, GLB uint* parent,
                    GLB const uint* RESTRICT sums, GLB const uint* RESTRICT totals, uint blocks, uint arcs) {
  for (uint e = GRP * WG + LID; e < arcs; e += NGRP * WG) {
    uint lo = 0, hi = blocks; /* the last block whose first arc is at most e */
    while (hi - lo > 1) {
      uint mid = lo + (hi - lo) / 2;
      if (totals[mid] <= e) lo = mid; else hi = mid;
    }
    uint rest = e - totals[lo], from = lo * WG, to = from + WG < n ? from + WG : n;
    lo = from; /* the first entry whose sum is above rest */
    hi = to - 1;
    while (lo < hi) {
      uint mid = lo + (hi - lo) / 2;
      if (sums[mid] > rest) hi = mid; else lo = mid + 1;
    }
    uint u = list[at + lo];
    if (lo > from) rest -= sums[lo - 1];
    claim(seen, next, parent, u, col[row[u - first] + rest]);
  }
}
