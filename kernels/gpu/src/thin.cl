/* thin.cl - up to levels pushes in one launch of one group, for graphs of high diameter.
 *
 * It starts from the frontier of a slot, of at most WG vertices with THIN * WG out-arcs. It ends
 * early where the new frontier is empty or exceeds WG vertices, THIN * WG out-arcs or as many
 * in-arcs, where a lane would read more than TURNS_MOST entries of a row, where the rule (force RULE) is against a push, and before a level that would claim a
 * vertex of another chunk (apart). Then both bitmaps get the claims.
 * log[0] is the number of levels; four words each follow: vertices, out-arcs, in-arcs and largest
 * out-degree of the new frontier. The last is the frontier of the next slot. */
KERNEL thin(GLB const uint* RESTRICT out, GLB const uint* RESTRICT col, GLB const uint* RESTRICT in,
            GLB uint* s0, GLB uint* s1, GLB uint* parent, GLB uint* l0, GLB uint* l1, GLB uint* p0, GLB uint* p1,
            GLB uint* counters, GLB const uint* RESTRICT rule, uint first, uint rows, uint at, uint pat, uint stride,
            uint apart, uint log, uint slot, uint force, uint levels) {
  SHARED(uint, queue, 2 * THIN * WG); /* the frontier and the next one */
  SHARED(uint, found, 1);
  SHARED(uint, leaves, 1);
  SHARED(uint, sums, 3);
  SHARED(uint, go, 1);
  GLB uint* head = counters + SLOT(slot);
  GLB uint* before = counters + SLOT(slot + SLOTS - 1);
  GLB uint* now = head + HEADER;
  GLB uint* then = counters + SLOT(slot + 1) + HEADER;
  uint pulled = before[WAY] == PULL, flip = before[FLIP] ^ pulled;
  GLB uint* seen = flip ? s1 : s0;
  GLB uint* other = flip ? s0 : s1;
  GLB const uint* list = slot & 1 ? l1 : l0;
  GLB const uint* pieces = slot & 1 ? p1 : p0;
  uint from = 0, to = THIN * WG, level = 0, more = levels > 0;
  uint unvisited = before[UNVISITED] - now[VERTICES], entered = unvisited;
  if (LID == 0) found[0] = leaves[0] = 0;
  BARRIER();
  for (uint i = LID; more && i < now[SMALL]; i += WG) queue[LA_ADD(&found[0], 1u)] = list[at + i];
  for (uint i = LID; more && i < now[MEDIUM]; i += WG) queue[LA_ADD(&found[0], 1u)] = list[at + rows - 1 - i];
  for (uint i = LID; more && i < now[LONG]; i += WG) {
    uint v = pieces[2 * (pat + i)];
    if (pieces[2 * (pat + i) + 1] == out[v - first]) queue[LA_ADD(&found[0], 1u)] = v;
  }
  BARRIER();
  uint n = found[0];
  BARRIER();
  while (more) {
    uint shift = 0; /* 1 << shift lanes per vertex: all lanes divided evenly */
    while (n << (shift + 1) <= WG && 2u << shift <= WG) shift++;
    uint lanes = 1u << shift, u = 0, k = 0, end = 0;
    if (LID >> shift < n) {
      u = queue[from + (LID >> shift)];
      k = out[u - first] + (LID & (lanes - 1));
      end = out[u - first + 1];
    }
    for (uint j = k; apart && j < end; j += lanes)
      if (col[j] - first >= rows && !has(seen, col[j])) LST(&leaves[0], 1u);
    BARRIER();
    if (leaves[0]) break;
    if (LID == 0) found[0] = sums[0] = sums[1] = sums[2] = 0;
    BARRIER();
    for (; k < end; k += lanes) {
      uint v = col[k];
      if (!visit(seen, parent, u, v)) continue;
      if (apart) A_OR(&other[v >> 5], 1u << (v & 31));
      queue[to + LA_ADD(&found[0], 1u)] = v;
    }
    BARRIER();
    n = found[0];
    for (uint i = LID; i < n; i += WG) {
      uint v = queue[to + i] - first, degree = out[v + 1] - out[v];
      LA_ADD(&sums[0], degree);
      LA_ADD(&sums[1], in[v + 1] - in[v]);
      LA_MAX(&sums[2], degree);
    }
    BARRIER();
    if (LID == 0) {
      for (lanes = 1; n * lanes * 2 <= WG && lanes * 2 <= WG;) lanes *= 2;
      counters[log + 4 * level + 1] = n;
      go[0] = sums[2] <= TURNS_MOST * lanes && level + 1 < levels && n > 0 && n <= WG && sums[0] <= THIN * WG && sums[1] <= THIN * WG &&
              (force != RULE || ruled(rule, PUSH, unvisited - n, sums[0]) == PUSH);
    }
    if (LID < 3) counters[log + 4 * level + 2 + LID] = sums[LID];
    level++;
    entered = unvisited;
    unvisited -= n;
    uint swap = from;
    from = to;
    to = swap;
    BARRIER();
    more = go[0];
  }
  if (LID == 0) counters[log] = level;
  if (level) {
    GLB uint* next = slot & 1 ? l0 : l1;
    GLB uint* nextpieces = slot & 1 ? p0 : p1;
    for (uint i = LID; i < n; i += WG) {
      uint v = queue[from + i], degree = out[v - first + 1] - out[v - first];
      enlist(out, v, v - first, degree, next, at, rows, nextpieces, pat, then);
    }
    for (uint i = LID; i < stride; i += WG) counters[SLOT(slot + 2) + i] = 0;
    if (LID == 0) {
      head[WAY] = PUSH;
      head[FLIP] = flip;
      head[UNVISITED] = entered;
      then[VERTICES] = n;
      then[OUT] = sums[0];
      then[IN] = sums[1];
      then[LARGEST] = sums[2];
    }
  }
}
