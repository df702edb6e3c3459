/* step.cl - one superstep of a chunk, top-down or bottom-up.
 *
 * force is PUSH, PULL, or RULE: then the lanes choose the way by the rule, or stop: where the
 * frontier is empty, the superstep before stopped, or a push follows a pull whose lists are
 * incomplete. Of bitmaps s0 and s1 one is seen. A push claims in it. A pull reads it, and makes
 * the other one seen and the vertices it finds: any visited neighbour of an unvisited vertex is in
 * the frontier. With enlisting the vertices found are put into the next lists, by a pull up to
 * cap of each; that needs one chunk of all own vertices.
 *
 * Push: a lane for a row of at most FEW arcs, 32 lanes for one of at most PIECE or a piece.
 *
 * Pull: the first of a phase probes the first two neighbours of each unvisited vertex, a lane
 * each; later ones take what the one before left. Vertices without a hit are gathered in groups
 * of WG; a lane reads NEAR further entries, four at a time, and 32 lanes the rest of a row. Who
 * finds none is listed for the next pull. */

/* u, in the frontier, is the parent of v */
#define MEET(v, u) do { \
    uint r = (v) - first, degree = out[r + 1] - out[r]; \
    parent[v] = (u); \
    found++; \
    outs += degree; \
    ins += in[r + 1] - in[r]; \
    most = degree > most ? degree : most; \
    if (enlisting && LD(&then[degree > PIECE ? LONG : degree > FEW ? MEDIUM : SMALL]) < cap) \
      enlist(out, (v), r, degree, nextlist, at, rows, nextpieces, pat, then); \
  } while (0)

KERNEL superstep(GLB const uint* RESTRICT out, GLB const uint* RESTRICT outcol,
                 GLB const uint* RESTRICT in, GLB const uint* RESTRICT incol,
                 GLB const uint* RESTRICT one, GLB const uint* RESTRICT two,
                 GLB uint* s0, GLB uint* s1, GLB uint* parent, GLB uint* l0, GLB uint* l1, GLB uint* p0, GLB uint* p1,
                 GLB uint* u0, GLB uint* u1, GLB uint* counters, GLB const uint* RESTRICT rule,
                 uint first, uint rows, uint at, uint pat, uint words, uint hub, uint cap, uint enlisting, uint counting,
                 uint stride, uint chunk, uint zero, uint nzero, uint slot, uint force) {
  SHARED(uint, queue, 2 * WG);  /* vertices to scan */
  SHARED(uint, far, WG);        /* of which some row is left after NEAR entries */
  SHARED(uint, hit, WG);        /* their neighbour in the frontier */
  SHARED(uint, missed, WG);     /* without a neighbour in the frontier */
  SHARED(uint, hubs, HUBWORDS); /* bits of the ranks that are most often first neighbours */
  SHARED(uint, sums, SUMS);
  SHARED(uint, n, 4);           /* entries of queue, far, missed; base of missed */
  SHARED(uint, state, 3);       /* way, last way, flip */
  GLB uint* head = counters + SLOT(slot);
  GLB uint* now = head + HEADER + COUNTS * chunk;
  GLB uint* then = counters + SLOT(slot + 1) + HEADER + COUNTS * chunk;
  if (LID == 0) {
    GLB uint* before = counters + SLOT(slot + SLOTS - 1);
    uint last = before[WAY], pulled = last == PULL, way = force, unvisited = before[UNVISITED] - now[VERTICES];
    if (force == RULE) {
      way = last == STOP || now[VERTICES] == 0 ? STOP : ruled(rule, last, unvisited, now[OUT]);
      if (way == PUSH && pulled && (now[SMALL] >= cap || now[MEDIUM] >= cap || now[LONG] >= cap)) way = STOP;
    }
    state[0] = way;
    state[1] = last;
    state[2] = before[FLIP] ^ pulled;
    if (GRP == 0 && words) {
      head[WAY] = way;
      head[FLIP] = state[2];
      head[UNVISITED] = unvisited;
    }
  }
  if (GRP == 0 && words) { /* of the first chunk */
    for (uint i = LID; i < stride; i += WG) counters[SLOT(slot + 2) + i] = 0;
    for (uint i = LID; i < nzero; i += WG) counters[zero + i] = 0;
  }
  BARRIER();
  uint way = state[0], flip = state[2], lane = LID & 31, warp = LID >> 5;
  GLB uint* seen = flip ? s1 : s0;
  GLB uint* nextlist = slot & 1 ? l0 : l1;
  GLB uint* nextpieces = slot & 1 ? p0 : p1;
  uint found = 0, outs = 0, ins = 0, most = 0, reads = 0, turns = 0;
  if (way == PUSH) {
    GLB const uint* list = slot & 1 ? l1 : l0;
    GLB const uint* pieces = slot & 1 ? p1 : p0;
    uint small = now[SMALL], nlong = now[LONG], wide = nlong + now[MEDIUM];
    uint items = 32 * wide + small, lanes = NGRP * WG;
    for (uint i = GRP * WG + LID; i < items; i += lanes) { /* 32 * wide is a multiple of 32: warps are not divided */
      uint u, k, end, by = 32, j = i >> 5;
      if (j >= wide) {
        u = list[at + i - 32 * wide];
        k = out[u - first];
        end = out[u - first + 1];
        by = 1;
      } else if (j >= nlong) {
        u = list[at + rows - 1 - (j - nlong)];
        k = out[u - first] + lane;
        end = out[u - first + 1];
      } else {
        u = pieces[2 * (pat + j)];
        k = pieces[2 * (pat + j) + 1];
        end = out[u - first + 1];
        if (end - k > PIECE) end = k + PIECE;
        k += lane;
      }
      uint read = 0;
      for (; k < end; k += 4 * by) {
        uint left = (end - k + by - 1) / by, open = 0;
        uint a = outcol[k], b = left > 1 ? outcol[k + by] : a;
        uint c = left > 2 ? outcol[k + 2 * by] : a, d = left > 3 ? outcol[k + 3 * by] : a;
        read += left < 4 ? left : 4;
        open = !(LD(&seen[a >> 5]) >> (a & 31) & 1u);
        open |= !(LD(&seen[b >> 5]) >> (b & 31) & 1u) << 1;
        open |= !(LD(&seen[c >> 5]) >> (c & 31) & 1u) << 2;
        open |= !(LD(&seen[d >> 5]) >> (d & 31) & 1u) << 3;
        for (; open; open &= open - 1) {
          uint t = CTZ(open), v = t < 2 ? (t ? b : a) : t == 2 ? c : d, r = v - first;
          if (!visit(seen, parent, u, v) || !enlisting) continue;
          uint degree = out[r + 1] - out[r];
          found++;
          outs += degree;
          ins += in[r + 1] - in[r];
          most = degree > most ? degree : most;
          enlist(out, v, r, degree, nextlist, at, rows, nextpieces, pat, then);
        }
      }
      turns = read > turns ? read : turns;
    }
  }
  /* a pull; PoCL wants every barrier outside of conditions */
  GLB uint* next = flip ? s0 : s1;
  GLB const uint* list = flip ? u1 : u0;
  GLB uint* rest = flip ? u0 : u1;
  uint opening = state[1] != PULL, skip = opening ? 2 : 0, todo = opening ? rows : now[LEFT];
  uint rounds = way == PULL ? (todo + NGRP * WG - 1) / (NGRP * WG) + 1 : 0; /* the last one is for the rest of queue */
  for (uint i = GRP * WG + LID; way == PULL && i < words; i += NGRP * WG) {
    uint x = seen[i] & ~LD(&next[i]);
    if (x) A_OR(&next[i], x);
  }
  for (uint i = LID; way == PULL && opening && i < HUBWORDS; i += WG) hubs[i] = seen[hub + i];
  if (LID < 3) n[LID] = 0;
  BARRIER();
  for (uint round = 1; round <= rounds; round++) {
    uint i = ((round - 1) * NGRP + GRP) * WG + LID, v = NONE, u = NONE;
    if (round < rounds && !opening && i < todo) v = list[at + i];
    if (round < rounds && opening && i < rows && !has(seen, first + i)) {
      uint x = one[i], w = (x >> 5) - hub;
      if (x != NONE) {
        v = first + i;
        reads++;
        turns = turns ? turns : 1;
        if ((w < HUBWORDS ? hubs[w] : seen[x >> 5]) >> (x & 31) & 1u) {
          u = x;
        } else {
          x = two[i];
          if (x != NONE) {
            reads++;
            turns = turns > 2 ? turns : 2;
            if (has(seen, x)) u = x;
          }
        }
      }
    }
    VOTE(&next[(first + i) >> 5], u != NONE);
    if (u != NONE) {
      MEET(v, u);
    } else if (v != NONE) {
      queue[LA_ADD(&n[0], 1u)] = v;
    }
    BARRIER();
    uint queued = n[0], take = round == rounds ? queued : queued < WG ? 0 : WG;
    BARRIER();
    for (uint scans = take > 0; scans; scans--) { /* PoCL wants barriers outside of conditions */
      v = u = NONE;
      if (LID < take) {
        uint read = 0;
        v = queue[queued - take + LID];
        uint k = in[v - first] + skip, end = in[v - first + 1], near = end;
        if (k < end && end - k > NEAR) near = k + NEAR;
        for (; k < near && u == NONE; k += 4) {
          uint a = incol[k], b = k + 1 < near ? incol[k + 1] : a;
          uint c = k + 2 < near ? incol[k + 2] : a, d = k + 3 < near ? incol[k + 3] : a;
          uint x = has(seen, a), y = has(seen, b), z = has(seen, c), w = has(seen, d);
          read += near - k < 4 ? near - k : 4;
          u = x ? a : y ? b : z ? c : w ? d : NONE;
        }
        if (u != NONE) {
          A_OR(&next[v >> 5], 1u << (v & 31));
          MEET(v, u);
        } else if (k < end) {
          uint f = LA_ADD(&n[1], 1u);
          far[f] = v;
          hit[f] = NONE;
        } else {
          missed[LA_ADD(&n[2], 1u)] = v;
        }
        reads += read;
        turns = read > turns ? read : turns;
      }
      BARRIER();
      uint nfar = n[1];
      for (uint j = warp; j < nfar; j += WG / 32) {
        uint turn = 0, end = in[far[j] - first + 1];
        for (uint k = in[far[j] - first] + skip + NEAR + lane; k < end && LLD(&hit[j]) == NONE; k += 32) {
          uint x = incol[k];
          turn++;
          if (has(seen, x)) LST(&hit[j], x);
        }
        reads += turn;
        turns = turn > turns ? turn : turns;
      }
      BARRIER();
      if (LID < nfar) {
        v = far[LID];
        u = hit[LID];
        if (u != NONE) {
          A_OR(&next[v >> 5], 1u << (v & 31));
          MEET(v, u);
        } else {
          missed[LA_ADD(&n[2], 1u)] = v;
        }
      }
      BARRIER();
      if (LID == 0) {
        n[0] = queued - take;
        n[1] = 0;
        if (n[2]) n[3] = A_ADD(&then[LEFT], n[2]);
      }
      BARRIER();
      if (LID < n[2]) rest[at + n[3] + LID] = missed[LID];
      BARRIER();
      if (LID == 0) n[2] = 0;
    }
  }
  add(sums, then, found, outs, ins, most, counting ? reads : 0, counting ? turns : 0);
}
