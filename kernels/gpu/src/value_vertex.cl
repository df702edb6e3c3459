/* value_vertex.cl - an operator over the vertices of a set: the function vertex comes before it,
 * with ARRAYS the parameters and NAMES the arguments of its arrays. next gets those that stay.
 * Blocks of BLOCK vertices have sums of their own, of one order. */

KERNEL value_vertex(GLB const uint* RESTRICT set, uint all, uint first, uint rows, GLB uint* next,
#ifdef SUMS
                    double arg0, double arg1, double arg2, double arg3, GLB double* sums,
#endif
                    ARRAYS) {
#ifdef SUMS
  SHARED(double, part, WG);
#endif
  for (uint b = GRP; b * BLOCK < rows; b += NGRP) {
#ifdef SUMS
    double sum[5];
    sum[0] = sum[1] = sum[2] = sum[3] = 0;
    sum[4] = F64_TOP;
#endif
    for (uint i = LID; i < BLOCK; i += WG) {
      uint v = first + b * BLOCK + i, stays = v - first < rows && (all || has(set, v));
      if (!stays) continue;
#ifdef SUMS
      vertex(v, i, &stays, arg0, arg1, arg2, arg3, sum, NAMES);
#else
      vertex(v, i, &stays, NAMES);
#endif
      if (stays) A_OR(&next[v >> 5], 1u << (v & 31));
    }
#ifdef SUMS
    for (uint c = 0; c < 5; c++) {
      part[LID] = sum[c];
      BARRIER();
      for (uint o = WG / 2; o > 0; o >>= 1) {
        if (LID < o) {
          double x = part[LID], y = part[LID + o];
          part[LID] = c < 4 ? x + y : y < x ? y : x;
        }
        BARRIER();
      }
      if (LID == 0) sums[5 * b + c] = part[0];
      BARRIER();
    }
#endif
  }
}
