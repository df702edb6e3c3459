/* bottom-up as in Totem, for comparison: one lane per word of 32 vertices reads each row
 * until it finds a neighbour in the frontier */
KERNEL bottomup_word(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                     GLB const uint* RESTRICT front, GLB uint* seen, GLB uint* next, GLB uint* parent,
                     uint first, uint rows, GLB uint* counters, uint examined, uint counting) {
  uint words = (rows + 31) / 32, reads = 0;
  for (uint i = GRP * WG + LID; i < words; i += NGRP * WG) {
    uint w = (first >> 5) + i, valid = rows - 32 * i < 32 ? (1u << (rows - 32 * i)) - 1u : NONE;
    uint old = seen[w], found = 0;
    for (uint todo = ~old & valid; todo; todo &= todo - 1) {
      uint r = 32 * i + CTZ(todo), end = row[r + 1];
      for (uint k = row[r]; k < end; k++) {
        uint u = col[k];
        reads++;
        if (has(front, u)) {
          parent[first + r] = u;
          found |= todo & -todo;
          break;
        }
      }
    }
    if (found) {
      seen[w] = old | found;
      next[w] = found;
    }
  }
  if (counting && reads) A_ADD(&counters[examined], reads);
}
