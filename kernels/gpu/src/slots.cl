/* slots.cl - claims, and the lists and counters of a search's frontiers.
 *
 * A chunk is consecutive rows of one range: row[i] is the offset of row i in col, first the rank of
 * row 0, a multiple of 32.
 *
 * A chunk's frontier is in lists: ranks of at most FEW out-arcs from list[at] up, of at most
 * PIECE from list[at+rows-1] down, and the longer rows as pieces of PIECE arcs: pieces holds
 * (rank, offset in col) from pieces[2*pat] on. */

/* u visits v unless v is visited; the lane that sets the bit of seen writes the parent and
 * returns 1 */
FN uint visit(GLB uint* seen, GLB uint* parent, uint u, uint v) {
  uint w = v >> 5, bit = 1u << (v & 31);
  if (LD(&seen[w]) & bit) return 0;
  if (A_OR(&seen[w], bit) & bit) return 0;
  parent[v] = u;
  return 1;
}

/* Counters come in slots, one a superstep, in a ring of SLOTS: the header of slot s is what
 * superstep s did, its counters, COUNTS a chunk, describe the frontier that superstep s starts
 * from. A superstep writes its header and the counters of the next slot, and zeroes the slot
 * after that. */
#define SLOT(s) ((s) % SLOTS * stride)
#define WAY 0       /* of the superstep: PUSH, PULL or STOP */
#define FLIP 1      /* parity of the pulls before it: which bitmap is seen */
#define UNVISITED 2 /* own vertices before this slot's frontier was found */
#define HEADER 4
#define VERTICES 0 /* of the frontier; then their out-arcs, in-arcs and largest out-degree */
#define OUT 1
#define IN 2
#define LARGEST 3
#define EXAMINED 4 /* adjacency entries read by the superstep before, if counted */
#define TURNS 5    /* most entries of a row that one of its lanes read, if counted */
#define SMALL 6    /* entries of the lists; see above */
#define MEDIUM 7
#define LONG 8
#define LEFT 9 /* vertices that a pull left unvisited */
#define COUNTS 10
#define SUMS 6 /* counters that lanes sum up */

#define PUSH 0u
#define PULL 1u
#define STOP 2u
#define RULE 3u /* as the rule says */

/* puts v, row r, into the lists of the next frontier */
FN void enlist(GLB const uint* row, uint v, uint r, uint degree, GLB uint* list, uint at, uint rows,
               GLB uint* pieces, uint pat, GLB uint* c) {
  if (degree <= FEW) {
    list[at + A_ADD(&c[SMALL], 1u)] = v;
  } else if (degree <= PIECE) {
    list[at + rows - 1 - A_ADD(&c[MEDIUM], 1u)] = v;
  } else {
    uint n = (degree + PIECE - 1) / PIECE, p = pat + A_ADD(&c[LONG], n), k = row[r];
    for (uint i = 0; i < n; i++) {
      pieces[2 * (p + i)] = v;
      pieces[2 * (p + i) + 1] = k + i * PIECE;
    }
  }
}

/* adds a lane's sums to the counters of a chunk; every lane must call it */
FN void add(LOC uint* sums, GLB uint* c, uint vertices, uint outs, uint ins, uint most, uint reads, uint turns) {
  if (LID < SUMS) sums[LID] = 0;
  BARRIER();
  if (vertices) LA_ADD(&sums[VERTICES], vertices);
  if (outs) LA_ADD(&sums[OUT], outs);
  if (ins) LA_ADD(&sums[IN], ins);
  if (most) LA_MAX(&sums[LARGEST], most);
  if (reads) LA_ADD(&sums[EXAMINED], reads);
  if (turns) LA_MAX(&sums[TURNS], turns);
  BARRIER();
  if (LID < SUMS && sums[LID]) {
    if (LID == LARGEST || LID == TURNS) A_MAX(&c[LID], sums[LID]);
    else A_ADD(&c[LID], sums[LID]);
  }
}

/* the way of a superstep after one of way last: pull where the frontier has more out-arcs than
 * the rule's entry for the last way and for the number of unvisited vertices (its exponent and
 * the two bits below the leading one) */
FN uint ruled(GLB const uint* rule, uint last, uint unvisited, uint arcs) {
  uint e = 31u - CLZ(unvisited | 1u);
  return arcs > rule[128 * last + 4 * e + (unvisited << (31u - e) >> 29 & 3u)] ? PULL : PUSH;
}
