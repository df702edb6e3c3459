/* value_edge.cl - an operator over arcs. MAPPING and COMBINING are the numbers of package
 * program; a user's operator, MAPPING 6 and COMBINING 4, comes before this file. F is the type
 * of From, TO that of To. Defined by the operator:
 *   WEIGHTED  arcs have weights, else 1    SELF   From is To, and is read while it changes
 *   ONCE      unvisited targets only       KNOWN  bits that own targets do not want
 *   WIDENS    From is float, To double */
#ifdef WIDENS
typedef float F;
#else
typedef T F;
#endif
#if COMBINING == 0
typedef uint TO;
#else
typedef T TO;
#endif

/* From[u] */
FN T value(GLB const F* from, uint u) {
#ifdef SELF
  return load((GLB T*)&from[u]);
#else
  return (T)from[u];
#endif
}

/* x + y; of integers at most the largest value */
FN T plus(T x, T y) {
  T sum = (T)((UT)x + (UT)y);
  return sum < x && y > 0 ? TOP : sum;
}

#ifdef WEIGHTED
# define WEIGHT(k) weights[k]
#else
# define WEIGHT(k) ((T)1)
#endif

/* the value of arc k, from u */
#if MAPPING == 1
# define SEND(u,k) value(from, u)
#elif MAPPING == 2
# define SEND(u,k) plus(value(from, u), WEIGHT(k))
#elif MAPPING == 3
# define SEND(u,k) ((T)1)
#elif MAPPING == 6
# ifdef VALUED
#  define SEND(u,k) send(u, value(from, u), WEIGHT(k))
# else
#  define SEND(u,k) send(u, (T)0, WEIGHT(k))
# endif
#endif

/* puts x into *to and reports whether that joins */
#if COMBINING == 1
# define IDENTITY TOP
FN uint merge(T* to, T x) {
  if (!(x < *to)) return 0;
  *to = x;
  return 1;
}
#elif COMBINING == 2
# define IDENTITY ((T)0)
FN uint merge(T* to, T x) {
  uint news = (x & ~*to) != 0;
  *to |= x;
  return news;
}
#elif COMBINING == 3
# define IDENTITY ((T)0)
FN uint merge(T* to, T x) {
  *to = (T)((UT)*to + (UT)x);
  return 1;
}
#endif

#if COMBINING > 0
/* merge beside other lanes */
FN uint put(GLB T* p, T x) {
  T old = load(p);
  for (;;) {
    T to = old;
    uint joins = merge(&to, x);
    if (TO_BITS(to) == TO_BITS(old)) return joins;
    BITS was = CAS((GLB BITS*)p, TO_BITS(old), TO_BITS(to));
    if (was == TO_BITS(old)) return joins;
    old = TO_VALUE(was);
  }
}
#endif

#ifdef KNOWN
# define WANTED(v,x) (has(mine, v) ? (x) & ~known[v] : (x))
#else
# define WANTED(v,x) (x)
#endif

/* brings x to v */
#if COMBINING == 0
FN void reach(GLB TO* to, GLB uint* seen, GLB uint* next, uint v, uint x) {
  uint bit = 1u << (v & 31);
# ifdef ONCE
  GLB uint* set = seen;
# else
  GLB uint* set = next;
# endif
  if (LD(&set[v >> 5]) & bit) return;
  if (A_OR(&set[v >> 5], bit) & bit) return;
  to[v] = x;
# ifdef ONCE
  A_OR(&next[v >> 5], bit);
# endif
}
#else
FN void reach(GLB TO* to, GLB uint* next, uint v, T x) {
  if (put(&to[v], x)) join(next, v);
}
#endif

#if MAPPING != 4 && MAPPING != 5
/* A push of the n vertices of a list, or of n rows where n is not 0; counters[count] is n
 * where it is. lanes, a power of two up to WG, share a row. */
KERNEL value_push(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col, GLB const T* RESTRICT weights,
                  GLB const uint* RESTRICT list, uint at, GLB const uint* counters, uint count, uint rows,
                  uint first, uint lanes, GLB const F* from, GLB TO* to, GLB const T* known, GLB const uint* mine,
                  GLB uint* seen, GLB uint* next) {
  uint lane = LID & (lanes - 1), warps = WG / lanes, n = rows ? rows : counters[count];
  for (uint i = GRP * warps + LID / lanes; i < n; i += NGRP * warps) {
    uint u = rows ? first + i : list[at + i], end = row[u - first + 1];
    for (uint k = row[u - first] + lane; k < end; k += lanes) {
      uint v = col[k];
#if COMBINING == 0
      reach(to, seen, next, v, u);
#else
      T x = SEND(u, k);
# ifdef KNOWN
      x = WANTED(v, x);
# endif
      reach(to, next, v, x);
#endif
    }
  }
}
#endif

/* takes the values of n own targets from another partition */
KERNEL value_merge(GLB const uint* RESTRICT list, GLB const TO* RESTRICT values, uint n, GLB TO* to, GLB const T* known,
                   GLB const uint* mine, GLB uint* seen, GLB uint* next) {
  for (uint i = GRP * WG + LID; i < n; i += NGRP * WG) {
    uint v = list[i];
#if COMBINING == 0
    reach(to, seen, next, v, values[i]);
#else
    T x = values[i];
# ifdef KNOWN
    x = WANTED(v, x);
# endif
    reach(to, next, v, x);
#endif
  }
}

/* A pull of rows begin ... end-1, those of a set over unless all of them, from the sources in a
 * set unless from all. lanes, a power of two up to WG, share a row; they add up in one order. */
KERNEL value_pull(GLB const uint* RESTRICT row, GLB const uint* RESTRICT col, GLB const T* RESTRICT weights,
                  uint first, uint begin, uint end, uint lanes, GLB const uint* RESTRICT set, uint members,
                  GLB const uint* RESTRICT over, uint some, GLB const F* from, GLB TO* to, GLB const T* known,
                  GLB uint* seen, GLB uint* next) {
#if COMBINING > 0
  SHARED(T, part, WG);
#endif
  SHARED(uint, got, WG);
  uint lane = LID & (lanes - 1), warps = WG / lanes;
  for (uint r = begin + GRP * warps; r < end; r += NGRP * warps) {
    uint i = r + LID / lanes, v = first + i, found = 0, want = i < end && (!some || has(over, v));
#if COMBINING == 0
# ifdef ONCE
    GLB uint* taken = seen;
# else
    GLB uint* taken = next;
# endif
    want = want && !(LD(&taken[v >> 5]) >> (v & 31) & 1u);
#else
    T x = IDENTITY;
#endif
#if MAPPING == 4 || MAPPING == 5
    T goal = want ? from[v] : (T)0;
#endif
    if (want) {
      uint last = row[i + 1];
      for (uint k = row[i] + lane; k < last; k += lanes) {
        uint u = col[k];
        if (members && !has(set, u)) continue;
#if MAPPING == 4 || MAPPING == 5
        T y = from[u];
        if (plus(y, WEIGHT(k)) != goal) continue;
# if MAPPING == 5
        if (!(y < goal)) continue;
# endif
#endif
        found = u + 1;
#if COMBINING == 0
        break;
#else
        merge(&x, SEND(u, k));
#endif
      }
    }
    got[LID] = found;
#if COMBINING > 0
    part[LID] = x;
#endif
    BARRIER();
    for (uint o = lanes / 2; o > 0; o >>= 1) {
      if (lane < o) {
        if (!got[LID]) got[LID] = got[LID + o];
#if COMBINING > 0
        T y = part[LID];
        merge(&y, part[LID + o]);
        part[LID] = y;
#endif
      }
      BARRIER();
    }
    if (lane == 0 && want && got[LID]) {
#if COMBINING == 0
      reach(to, seen, next, v, got[LID] - 1);
#else
      T y = part[LID];
# ifdef KNOWN
      y &= ~known[v];
# endif
# ifdef SELF
      reach(to, next, v, y);
# else
      T sum = to[v];
      if (merge(&sum, y)) {
        to[v] = sum;
        join(next, v);
      }
# endif
#endif
    }
    BARRIER();
  }
}
