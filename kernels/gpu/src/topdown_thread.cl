/* top-down, one lane per frontier vertex, for frontiers of low degrees */
KERNEL topdown_thread(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                      GLB const uint* RESTRICT list, uint at, uint n, uint first,
                      GLB uint* seen, GLB uint* next, GLB uint* parent) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) {
    uint u = list[at + i], end = row[u - first + 1];
    for (uint k = row[u - first]; k < end; k++) claim(seen, next, parent, u, col[k]);
  }
}
