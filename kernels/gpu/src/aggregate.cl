/* aggregate.cl - the parents, at the end of a search */

/* the ranks of a chunk that are visited and whose finder is q */
KERNEL foreign_list(GLB const uint* RESTRICT seen, GLB const u8* RESTRICT finder, uint shift,
                    uint first, uint rows, uint q, GLB uint* list, GLB uint* counters, uint count) {
  for (uint i = GRP * WG + LID; i < rows; i += NGRP * WG) {
    uint v = first + i;
    if (finder[shift + v] == q && has(seen, v)) list[A_ADD(&counters[count], 1u)] = v;
  }
}

/* the parent entries of n ranks, in place */
KERNEL answer(GLB uint* ranks, uint n, GLB const uint* RESTRICT parent) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) ranks[i] = parent[ranks[i]];
}

/* n ranks and after them the parents that others answered */
KERNEL adopt(GLB const uint* RESTRICT pairs, uint n, GLB uint* parent) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) parent[pairs[i]] = pairs[n + i];
}

/* the parents of rows ranks from first on as vertex ids, at out[at ...] */
KERNEL to_vertices(GLB const uint* RESTRICT parent, GLB const uint* RESTRICT seen,
                   GLB const uint* RESTRICT vertexof, uint first, uint rows, GLB uint* out, uint at) {
  for (uint i = GRP * WG + LID; i < rows; i += NGRP * WG)
    out[at + i] = has(seen, first + i) ? vertexof[parent[first + i]] : NONE;
}
