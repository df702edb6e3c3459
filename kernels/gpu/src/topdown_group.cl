/* top-down, one work-group per frontier vertex, for few vertices of high degree */
KERNEL topdown_group(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                     GLB const uint* RESTRICT list, uint at, uint n, uint first,
                     GLB uint* seen, GLB uint* next, GLB uint* parent) {
  for (uint i = GRP; i < n; i += NGRP) {
    uint u = list[at + i], end = row[u - first + 1];
    for (uint k = row[u - first] + LID; k < end; k += WG) claim(seen, next, parent, u, col[k]);
  }
}
