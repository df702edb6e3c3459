/* frontier.cl - from bitmaps to lists, and back */

/* Lists the vertices of a chunk that are in seen and not in old, and adds them to old. counting:
 * counters[c ...] get their number and their arcs, and counters[few + 1 ...] up to cap of them,
 * counted in counters[few]. One lane per word. */
KERNEL frontier_list(GLB const uint* RESTRICT seen, GLB uint* old, uint first, uint rows,
                     GLB const uint* RESTRICT out, GLB const uint* RESTRICT in,
                     GLB uint* list, uint at, GLB uint* pieces, uint pat, GLB uint* counters, uint c, uint counting,
                     uint few, uint cap) {
  SHARED(uint, sums, SUMS);
  uint nwords = (rows + 31) / 32, found = 0, outs = 0, ins = 0, most = 0;
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) {
    uint word = (first >> 5) + i, w = seen[word] & ~old[word];
    if (!w) continue;
    old[word] |= w;
    for (; w; w &= w - 1) {
      uint r = 32 * i + CTZ(w), degree = out[r + 1] - out[r];
      found++;
      outs += degree;
      ins += in[r + 1] - in[r];
      most = degree > most ? degree : most;
      enlist(out, first + r, r, degree, list, at, rows, pieces, pat, &counters[c]);
      if (counting && LD(&counters[few]) < cap) {
        uint k = A_ADD(&counters[few], 1u);
        if (k < cap) counters[few + 1 + k] = first + r;
      }
    }
  }
  if (!counting) found = outs = ins = most = 0;
  add(sums, &counters[c], found, outs, ins, most, 0, 0);
}

/* the reverse: sets the bits of a chunk's listed frontier in bits */
KERNEL frontier_bits(GLB const uint* RESTRICT out, uint first, uint rows, GLB const uint* RESTRICT list, uint at,
                     GLB const uint* RESTRICT pieces, uint pat, GLB const uint* RESTRICT counters, uint c, GLB uint* bits) {
  uint small = counters[c + SMALL], medium = counters[c + MEDIUM], nlong = counters[c + LONG];
  for (uint i = GRP * WG + LID; i < small + medium + nlong; i += NGRP * WG) {
    uint v = i < small ? list[at + i] : i < small + medium ? list[at + rows - 1 - (i - small)] : pieces[2 * (pat + i - small - medium)];
    A_OR(&bits[v >> 5], 1u << (v & 31));
  }
}

/* The ranks of words word ... word+nwords-1 that are in seen and not in old: as bits in box, up
 * to cap of them in list[word ...], their number in counters[count]. sync adds them to old. */
KERNEL news(GLB const uint* RESTRICT seen, GLB uint* old, uint word, uint nwords, uint cap, uint sync,
            GLB uint* box, GLB uint* list, GLB uint* counters, uint count) {
  for (uint i = GRP * WG + LID; i < nwords; i += NGRP * WG) {
    uint w = seen[word + i] & ~old[word + i], to;
    box[word + i] = w;
    if (!w) continue;
    if (sync) old[word + i] |= w;
    to = A_ADD(&counters[count], POPC(w));
    for (; w && to < cap; w &= w - 1) list[word + to++] = 32 * (word + i) + CTZ(w);
  }
}
