/* aggregate.cl - parents, at the end of a search */

/* lists the visited ranks of a chunk whose finder is q */
KERNEL foreign_list(GLB const uint* RESTRICT seen, GLB const u8* RESTRICT finder, uint shift,
                    uint first, uint rows, uint q, GLB uint* list, GLB uint* counters, uint count) {
  for (uint i = GRP * WG + LID; i < rows; i += NGRP * WG) {
    uint v = first + i;
    if (finder[shift + v] == q && has(seen, v)) list[A_ADD(&counters[count], 1u)] = v;
  }
}

/* replaces n ranks by their parents */
KERNEL answer(GLB uint* ranks, uint n, GLB const uint* RESTRICT parent) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) ranks[i] = parent[ranks[i]];
}

/* stores the parents of n ranks: pairs holds n ranks, then n parents */
KERNEL adopt(GLB const uint* RESTRICT pairs, uint n, GLB uint* parent) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) parent[pairs[i]] = pairs[n + i];
}

/* stores the parents of own ranks first ... first+rows-1 as vertex ids in out, in the order of
 * vertex ids. places has two words for 32 ids: the bits of own vertices, and their number before. */
KERNEL scatter_parents(GLB const uint* RESTRICT parent, GLB const uint* RESTRICT seen,
                       GLB const uint* RESTRICT vertexof, GLB const uint* RESTRICT places,
                       uint first, uint rows, GLB uint* out) {
  for (uint i = GRP * WG + LID; i < rows; i += NGRP * WG) {
    uint r = first + i, v = vertexof[r], at = 2 * (v >> 5);
    uint to = places[at + 1] + POPC(places[at] & ((1u << (v & 31)) - 1));
    out[to] = has(seen, r) ? vertexof[parent[r]] : NONE;
  }
}
