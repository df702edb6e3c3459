/* bits.cl - functions of several kernels: bits of ranks, claim, prefix sum.
 *
 * Rank i is bit i%32 of word i/32 of a bitmap. A chunk is consecutive rows of one range:
 * row[i] is the offset of row i in col, first the rank of row 0, a multiple of 32. */

FN uint has(GLB const uint* words, uint v) { return words[v >> 5] >> (v & 31) & 1u; }

/* top-down: u visits v unless v is visited; the lane that sets the bit of seen writes the
 * parent and returns 1 */
FN uint visit(GLB uint* seen, GLB uint* parent, uint u, uint v) {
  uint w = v >> 5, bit = 1u << (v & 31);
  if (LD(&seen[w]) & bit) return 0;
  if (A_OR(&seen[w], bit) & bit) return 0;
  parent[v] = u;
  return 1;
}

FN void claim(GLB uint* seen, GLB uint* next, GLB uint* parent, uint u, uint v) {
  if (visit(seen, parent, u, v)) A_OR(&next[v >> 5], 1u << (v & 31));
}

/* inclusive prefix sum over the group; every lane must call it */
FN uint scan(LOC uint* a, LOC uint* b, uint x) {
  uint t = LID;
  LOC uint* from = a;
  LOC uint* to = b;
  from[t] = x;
  BARRIER();
  for (uint o = 1; o < WG; o <<= 1) {
    to[t] = t >= o ? from[t] + from[t - o] : from[t];
    BARRIER();
    LOC uint* swap = from;
    from = to;
    to = swap;
  }
  uint r = from[t];
  BARRIER();
  return r;
}
