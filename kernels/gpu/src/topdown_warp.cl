/* top-down, one virtual warp per frontier vertex; lanes is a power of two up to WG, chosen by
 * the mean degree */
KERNEL topdown_warp(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                    GLB const uint* RESTRICT list, uint at, uint n, uint first,
                    GLB uint* seen, GLB uint* next, GLB uint* parent, uint lanes) {
  uint lane = LID & (lanes - 1), warps = WG / lanes;
  for (uint i = GRP * warps + LID / lanes; i < n; i += NGRP * warps) {
    uint u = list[at + i], end = row[u - first + 1];
    for (uint k = row[u - first] + lane; k < end; k += lanes) claim(seen, next, parent, u, col[k]);
  }
}
