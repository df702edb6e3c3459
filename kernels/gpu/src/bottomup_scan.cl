/* bottom-up over a list of unvisited vertices: a virtual warp of VW lanes reads a row from
 * entry skip until a lane finds a neighbour in the frontier; vertices without one are listed
 * for the next level */
KERNEL bottomup_scan(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col,
                     GLB const uint* RESTRICT front, GLB uint* seen, GLB uint* next, GLB uint* parent,
                     uint first, GLB const uint* RESTRICT list, GLB uint* RESTRICT rest, uint at,
                     GLB uint* lengths, uint length, uint left, uint skip,
                     GLB uint* counters, uint examined, uint counting) {
  SHARED(uint, hit, WG / VW);
  SHARED(uint, queue, WG / VW);
  SHARED(uint, nqueue, 1);
  SHARED(uint, base, 1);
  uint n = lengths[length], lane = LID % VW, warp = LID / VW;
  uint step = NGRP * (WG / VW), rounds = (n + step - 1) / step, reads = 0;
  for (uint r = 0; r < rounds; r++) {
    uint i = r * step + GRP * (WG / VW) + warp, v = 0, open = 0;
    if (lane == 0) hit[warp] = NONE;
    if (LID == 0) nqueue[0] = 0;
    BARRIER();
    if (i < n) {
      v = list[at + i];
      open = !(LD(&seen[v >> 5]) >> (v & 31) & 1u);
      uint end = row[v - first + 1];
      for (uint k = row[v - first] + skip + lane; open && k < end && LLD(&hit[warp]) == NONE; k += VW) {
        uint u = col[k];
        reads++;
        if (has(front, u)) LST(&hit[warp], u);
      }
    }
    BARRIER();
    if (lane == 0 && open) {
      if (hit[warp] != NONE) {
        uint bit = 1u << (v & 31);
        parent[v] = hit[warp];
        A_OR(&seen[v >> 5], bit);
        A_OR(&next[v >> 5], bit);
      } else {
        queue[LA_ADD(&nqueue[0], 1u)] = v;
      }
    }
    BARRIER();
    if (LID == 0 && nqueue[0]) base[0] = A_ADD(&lengths[left], nqueue[0]);
    BARRIER();
    if (LID < nqueue[0]) rest[at + base[0] + LID] = queue[LID];
    BARRIER();
  }
  if (counting && reads) A_ADD(&counters[examined], reads);
}
