/* measure.cl - what a device's memory allows: bench device, and the speeds of default shares */

/* a hash: neighbours in i are apart in memory */
FN uint scattered(uint i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ i >> 16;
}

/* copies n words */
KERNEL measure_copy(GLB const uint* RESTRICT from, GLB uint* RESTRICT to, uint n) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) to[i] = from[i];
}

/* each lane reads that many words at random places of mask+1 words; out gets a sum a lane */
KERNEL measure_gather(GLB const uint* RESTRICT words, uint mask, uint each, GLB uint* out) {
  uint lane = GRP * WG + LID, sum = 0;
  for (uint k = 0; k < each; k++) sum += words[scattered(lane * each + k) & mask];
  out[lane] = sum;
}

/* each lane sets that many bits at random places of mask+1 words, as claims do */
KERNEL measure_atomic(GLB uint* words, uint mask, uint each, GLB uint* out) {
  uint lane = GRP * WG + LID, sum = 0;
  for (uint k = 0; k < each; k++) {
    uint x = scattered(lane * each + k);
    sum += A_OR(&words[x & mask], 1u << (x >> 27));
  }
  out[lane] = sum;
}
