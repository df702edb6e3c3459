/* top-down, up to levels supersteps in one launch of one group, for graphs of high diameter
 * on a device that owns every vertex. list[at ...] holds n vertices, at most WG with
 * THIN * WG arcs. It ends early where the new frontier is empty or exceeds WG vertices,
 * THIN * WG out-arcs or as many in-arcs; that frontier is in list and front.
 * counters[0] is the number of supersteps run; four words each follow, of the new frontier:
 * vertices, out-arcs, in-arcs, largest out-degree. */
KERNEL topdown_thin(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col, GLB const uint* RESTRICT in,
                    GLB uint* list, uint at, uint n, uint first, GLB uint* seen, GLB uint* front,
                    GLB uint* parent, uint levels, GLB uint* counters) {
  SHARED(uint, queue, 2 * THIN * WG); /* the frontier and the next one */
  SHARED(uint, found, 1);
  SHARED(uint, sums, 3);
  uint from = 0, to = THIN * WG, level = 0, more = 1;
  for (uint i = LID; i < n; i += WG) {
    uint v = list[at + i];
    queue[i] = v;
    A_AND(&front[v >> 5], ~(1u << (v & 31)));
  }
  while (more) {
    if (LID == 0) found[0] = sums[0] = sums[1] = sums[2] = 0;
    BARRIER();
    uint shift = 0; /* 1 << shift lanes per vertex: all lanes divided evenly */
    while (n << (shift + 1) <= WG && 2u << shift <= WG) shift++;
    if (LID >> shift < n) {
      uint lanes = 1u << shift, u = queue[from + (LID >> shift)], end = row[u - first + 1];
      for (uint k = row[u - first] + (LID & (lanes - 1)); k < end; k += lanes)
        if (visit(seen, parent, u, col[k])) queue[to + LA_ADD(&found[0], 1u)] = col[k];
    }
    BARRIER();
    n = found[0];
    for (uint i = LID; i < n; i += WG) {
      uint v = queue[to + i] - first, degree = row[v + 1] - row[v];
      LA_ADD(&sums[0], degree);
      LA_ADD(&sums[1], in[v + 1] - in[v]);
      LA_MAX(&sums[2], degree);
    }
    BARRIER();
    if (LID == 0) counters[4 * level + 1] = n;
    if (LID < 3) counters[4 * level + 2 + LID] = sums[LID];
    level++;
    more = level < levels && n > 0 && n <= WG && sums[0] <= THIN * WG && sums[1] <= THIN * WG;
    uint swap = from;
    from = to;
    to = swap;
    BARRIER();
  }
  for (uint i = LID; i < n; i += WG) {
    uint v = queue[from + i];
    list[at + i] = v;
    A_OR(&front[v >> 5], 1u << (v & 31));
  }
  if (LID == 0) counters[0] = level;
}
