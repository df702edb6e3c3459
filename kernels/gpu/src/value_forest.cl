/* value_forest.cl - union-find for local operators: f[v] is the parent of v, smaller than v, or v
 * itself at a root. */

/* the root of v; it shortens the path */
FN uint find(GLB uint* f, uint v) {
  for (;;) {
    uint p = LD(&f[v]), g = LD(&f[p]);
    if (p == g) return p;
    A_CAS(&f[v], p, g);
    v = g;
  }
}

/* links the trees of u and v under the smaller root */
FN void link(GLB uint* f, uint u, uint v) {
  u = find(f, u);
  v = find(f, v);
  while (u != v) {
    uint hi = u > v ? u : v, lo = u > v ? v : u;
    uint was = (uint)A_CAS(&f[hi], hi, lo);
    if (was == hi) return;
    u = find(f, was);
    v = find(f, lo);
  }
}

/* makes the root of v its parent, beside others that do so */
FN void compress(GLB uint* f, uint v) {
  uint root = find(f, v), p = LD(&f[v]);
  while (p != root) {
    uint was = (uint)A_CAS(&f[v], p, root);
    if (was == p) return;
    p = was;
  }
}
