/* value_local.cl - a local operator: the functions arc and rank come before it, with ARRAYS and
 * NAMES as value_vertex.cl has them. value_arcs is for the stored rows of a chunk, of lanes of a
 * power of two each, value_ranks comes after all. */

KERNEL value_arcs(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col, uint first, uint rows, uint lanes, ARRAYS) {
  uint lane = LID & (lanes - 1), warps = WG / lanes;
  for (uint i = GRP * warps + LID / lanes; i < rows; i += NGRP * warps)
    for (uint k = row[i] + lane; k < row[i + 1]; k += lanes) arc(first + i, col[k], k - row[i], NAMES);
}

KERNEL value_ranks(uint ranks, ARRAYS) {
  for (uint v = GRP * WG + LID; v < ranks; v += NGRP * WG) rank(v, NAMES);
}
