/* value.cl - T, the type of an array by number TYPE, as package program has them; BITS is its
 * pattern. */
#if TYPE == 0
typedef uint T;
typedef uint BITS;
typedef uint UT;
# define TOP U32_TOP
#elif TYPE == 1
typedef int T;
typedef uint BITS;
typedef uint UT;
# define TOP I32_TOP
#elif TYPE == 2
typedef u64 T;
typedef u64 BITS;
typedef u64 UT;
# define TOP U64_TOP
#elif TYPE == 3
typedef i64 T;
typedef u64 BITS;
typedef u64 UT;
# define TOP I64_TOP
#elif TYPE == 4
typedef float T;
typedef uint BITS;
typedef float UT;
# define TOP F32_TOP
# define TO_BITS(x) AS_U32(x)
# define TO_VALUE(b) AS_F32(b)
#else
typedef double T;
typedef u64 BITS;
typedef double UT;
# define TOP F64_TOP
# define TO_BITS(x) AS_U64(x)
# define TO_VALUE(b) AS_F64(b)
#endif
#ifndef TO_BITS
# define TO_BITS(x) ((BITS)(x))
# define TO_VALUE(b) ((T)(b))
#endif
#if TYPE == 2 || TYPE == 3 || TYPE == 5
# define CAS(p,o,n) ((u64)A_CAS64((p),(o),(n)))
#else
# define CAS(p,o,n) ((uint)A_CAS((p),(o),(n)))
#endif

/* reads a value that other lanes change */
FN T load(GLB T* p) {
#ifdef RACECHECK
  return TO_VALUE(CAS((GLB BITS*)p, (BITS)0, (BITS)0));
#else
  return *(volatile GLB T*)p;
#endif
}

/* makes *p at most x */
FN void lower(GLB T* p, T x) {
  T old = load(p);
  while (x < old) {
    BITS was = CAS((GLB BITS*)p, TO_BITS(old), TO_BITS(x));
    if (was == TO_BITS(old)) return;
    old = TO_VALUE(was);
  }
}

/* inclusive prefix sum over the group; every lane must call it */
FN uint scan(LOC uint* a, LOC uint* b, uint x) {
  uint t = LID;
  LOC uint* from = a;
  LOC uint* to = b;
  from[t] = x;
  BARRIER();
  for (uint o = 1; o < WG; o <<= 1) {
    to[t] = t >= o ? from[t] + from[t - o] : from[t];
    BARRIER();
    LOC uint* swap = from;
    from = to;
    to = swap;
  }
  uint r = from[t];
  BARRIER();
  return r;
}
