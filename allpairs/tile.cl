/* tile.cl - the tile kernels of tile.go, in the dialect of compat.h.
 *
 * T is the type of distances. A tile has 64 rows of 64 entries; tiles lie one after the other,
 * those of a row of tiles together. LEAST picks, PLUS adds up; with WIDEST the largest least weight. */
#ifdef WIDEST
# define LEAST(a, b) ((a) > (b) ? (a) : (b))
# define PLUS(a, b) ((a) < (b) ? (a) : (b))
# define NEGATIVE(x) 0
#else
# define LEAST(a, b) ((a) < (b) ? (a) : (b))
# define PLUS(a, b) ((a) + (b))
# define NEGATIVE(x) ((x) < 0)
#endif
#define AT(d, tiles, i, j) ((d) + ((u64)(i) * (tiles) + (j)) * 4096)
#define DEPTH 16 /* terms of a product in shared memory at a time */

/* closes tile b of the diagonal; status is the first vertex with a negative distance to itself */
KERNEL closure(GLB T* d, uint tiles, uint b, GLB uint* status) {
  SHARED(T, t, 4096);
  GLB T* tile = AT(d, tiles, b, b);
  for (uint i = LID; i < 4096; i += WG) t[i] = tile[i];
  BARRIER();
  for (uint k = 0; k < 64; k++) {
    if (LID == 0 && NEGATIVE(t[k * 65]) && *status == NONE) *status = b * 64 + k;
    for (uint at = LID; at < 4096; at += WG) {
      uint i = at / 64, j = at % 64;
      if (i != k && j != k) t[at] = LEAST(t[at], PLUS(t[i * 64 + k], t[k * 64 + j]));
    }
    BARRIER();
  }
  for (uint i = LID; i < 4096; i += WG) tile[i] = t[i];
}

/* multiplies tiles lo ... hi-1: a group a tile of to, which begins as that of from. With skip NONE it
 * takes all tiles; with panels those of row and column skip, else all others. A lane has 4 x 4
 * entries. Tiles of to are stored last: from may be to where factors are closed. */
KERNEL product(GLB const T* from, GLB T* to, uint tiles, uint skip, uint panels, uint lo, uint hi) {
  SHARED(T, as, DEPTH * 64); /* as[k * 64 + row] */
  SHARED(T, bs, DEPTH * 64); /* bs[k * 64 + column] */
  uint side = skip == NONE ? tiles : tiles - 1, all = panels ? 2 * side : side * side;
  for (uint g = GRP; g < all; g += NGRP) {
    uint i = panels ? g / 2 : g / side, j = panels ? skip : g % side;
    if (i >= skip) i++;
    if (j >= skip && !panels) j++;
    if (panels && g % 2) {
      j = i;
      i = skip;
    }
    uint x = LID % 16, y = LID / 16 * 4;
    T acc[4][4];
    GLB const T* old = AT(from, tiles, i, j);
    for (uint r = 0; r < 4; r++)
      for (uint c = 0; c < 4; c++) acc[r][c] = old[(y + r) * 64 + x + 16 * c];
    for (uint k = lo; k < hi; k++) {
      GLB const T* a = AT(from, tiles, i, k);
      GLB const T* b = AT(from, tiles, k, j);
      for (uint at = 0; at < 64; at += DEPTH) {
        for (uint e = LID; e < DEPTH * 64; e += WG) {
          as[e % DEPTH * 64 + e / DEPTH] = a[e / DEPTH * 64 + at + e % DEPTH];
          bs[e] = b[at * 64 + e];
        }
        BARRIER();
        for (uint q = 0; q < DEPTH; q++) {
          T v[4];
          for (uint c = 0; c < 4; c++) v[c] = bs[q * 64 + x + 16 * c];
          for (uint r = 0; r < 4; r++) {
            T u = as[q * 64 + y + r];
            for (uint c = 0; c < 4; c++) acc[r][c] = LEAST(acc[r][c], PLUS(u, v[c]));
          }
        }
        BARRIER();
      }
    }
    GLB T* now = AT(to, tiles, i, j);
    for (uint r = 0; r < 4; r++)
      for (uint c = 0; c < 4; c++) now[(y + r) * 64 + x + 16 * c] = acc[r][c];
  }
}

/* does the step of vertex v, whose row and column do not change, for all entries */
KERNEL vertex_step(GLB T* d, uint tiles, uint v, GLB uint* status) {
  uint k = v / 64, at = v % 64;
  if (GRP == 0 && LID == 0 && NEGATIVE(AT(d, tiles, k, k)[at * 65]) && *status == NONE) *status = v;
  for (u64 g = GRP; g < (u64)tiles * tiles; g += NGRP) {
    uint i = (uint)(g / tiles), j = (uint)(g % tiles);
    GLB T* c = AT(d, tiles, i, j);
    GLB const T* a = AT(d, tiles, i, k);
    GLB const T* b = AT(d, tiles, k, j);
    for (uint e = LID; e < 4096; e += WG) {
      if ((i != k || e / 64 != at) && (j != k || e % 64 != at)) c[e] = LEAST(c[e], PLUS(a[e / 64 * 64 + at], b[at * 64 + e % 64]));
    }
  }
}

/* finds the first vertex of n with a negative distance to itself */
KERNEL diagonal(GLB const T* d, uint tiles, uint n, GLB uint* status) {
  if (GRP > 0 || LID > 0) return;
  for (uint v = 0; v < n && *status == NONE; v++)
    if (NEGATIVE(AT(d, tiles, v / 64, v / 64)[v % 64 * 65])) *status = v;
}

/* adds up and picks turns x 16 times a lane, in registers */
KERNEL register_rate(GLB T* out, uint turns) {
  T x[16];
  T y = (T)(LID + 1);
  for (uint i = 0; i < 16; i++) x[i] = (T)(i + LID);
  for (uint t = 0; t < turns; t++)
    for (uint i = 0; i < 16; i++) x[i] = LEAST(x[i], PLUS(y, x[(i + 1) % 16]));
  T all = x[0];
  for (uint i = 1; i < 16; i++) all = LEAST(all, x[i]);
  out[GRP * WG + LID] = all;
}
