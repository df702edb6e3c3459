/* bottom-up, first level of a phase: one lane per vertex probes its first neighbour. A word
 * of 32 vertices is assembled in shared memory and stored by one lane; vertices that stay
 * unvisited are listed for bottomup_scan. */
KERNEL bottomup_probe(GLB const uint* RESTRICT one, GLB const uint* RESTRICT front,
                      GLB uint* seen, GLB uint* next, GLB uint* parent,
                      uint first, uint rows, GLB uint* list, uint at, GLB uint* lengths, uint length,
                      uint hub, GLB uint* counters, uint examined, uint counting) {
  SHARED(uint, word, WG / 32);
  SHARED(uint, queue, WG);
  SHARED(uint, nqueue, 1);
  SHARED(uint, base, 1);
  SHARED(uint, hubs, HUBWORDS); /* frontier bits of the ranks that are most often first neighbours */
  uint rounds = (rows + NGRP * WG - 1) / (NGRP * WG), probed = 0;
  for (uint i = LID; i < HUBWORDS; i += WG) hubs[i] = front[hub + i];
  for (uint r = 0; r < rounds; r++) {
    uint i = (r * NGRP + GRP) * WG + LID;
    if (LID < WG / 32) word[LID] = 0;
    if (LID == 0) nqueue[0] = 0;
    BARRIER();
    if (i < rows && !has(seen, first + i)) {
      uint u = one[i];
      if (u != NONE) {
        uint w = (u >> 5) - hub;
        uint bits = w < HUBWORDS ? hubs[w] : front[u >> 5];
        probed++;
        if (bits >> (u & 31) & 1u) {
          parent[first + i] = u;
          LA_OR(&word[LID >> 5], 1u << (LID & 31));
        } else {
          queue[LA_ADD(&nqueue[0], 1u)] = first + i;
        }
      }
    }
    BARRIER();
    if (LID < WG / 32 && word[LID]) {
      uint w = ((first + (r * NGRP + GRP) * WG) >> 5) + LID;
      seen[w] |= word[LID];
      next[w] = word[LID];
    }
    if (LID == 0 && nqueue[0]) base[0] = A_ADD(&lengths[length], nqueue[0]);
    BARRIER();
    if (LID < nqueue[0]) list[at + base[0] + LID] = queue[LID];
    BARRIER();
  }
  if (counting && probed) A_ADD(&counters[examined], probed);
}
