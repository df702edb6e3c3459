/* bits.cl - bits of ranks: rank i is bit i%32 of word i/32 of a bitmap. */

FN uint has(GLB const uint* words, uint v) { return words[v >> 5] >> (v & 31) & 1u; }
