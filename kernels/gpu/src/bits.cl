/* bits.cl - what several kernels share: bits of ranks, the claim, the scan.
 *
 * A bitmap is uint words, bit i of word i/32. A chunk is a run of rows of one range:
 * row[i] is where row i begins in col, first the rank of row 0, a multiple of 32. */

FN uint has(GLB const uint* words, uint v) { return words[v >> 5] >> (v & 31) & 1u; }

/* top-down: u visits v, unless somebody did; the parent is written by the one that
 * set the bit of seen, which is told so */
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

/* inclusive scan over the group; every lane calls it */
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
