/* search.cl - begin and root of a search */

/* clears both bitmaps, the finders and the counters, for own vertices unvisited */
KERNEL search_begin(GLB uint* s0, GLB uint* s1, uint words, GLB uint* finder, uint nfinder, uint own,
                    GLB uint* counters, uint ncounters, uint stride, uint vertices) {
  uint lane = GRP * WG + LID, lanes = NGRP * WG;
  for (uint i = lane; i < words; i += lanes) s0[i] = s1[i] = 0;
  for (uint i = lane; i < nfinder; i += lanes) finder[i] = own;
  for (uint i = lane; i < ncounters; i += lanes) counters[i] = i == SLOT(SLOTS - 1) + UNVISITED ? vertices : 0;
}

/* v, of a chunk whose counters begin at c, is the frontier of slot 0 */
KERNEL search_root(GLB const uint* RESTRICT out, GLB const uint* RESTRICT in, GLB uint* s0, GLB uint* s1,
                   GLB uint* parent, uint first, uint rows, GLB uint* list, uint at, GLB uint* pieces, uint pat,
                   GLB uint* counters, uint c, uint v) {
  if (GRP || LID) return;
  uint r = v - first, degree = out[r + 1] - out[r];
  s0[v >> 5] = s1[v >> 5] = 1u << (v & 31);
  parent[v] = v;
  counters[c + VERTICES] = 1;
  counters[c + OUT] = counters[c + LARGEST] = degree;
  counters[c + IN] = in[r + 1] - in[r];
  enlist(out, v, r, degree, list, at, rows, pieces, pat, &counters[c]);
}
