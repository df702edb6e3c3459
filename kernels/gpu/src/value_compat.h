/* value_compat.h - what value*.cl need beyond compat.h: compare-and-swap, 64-bit integers,
 * doubles where FP64 is defined, 64-bit atomics where INT64 is. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
# ifdef INT64
#  pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
# endif
# ifdef FP64
#  pragma OPENCL EXTENSION cl_khr_fp64 : enable
# endif
# define A_CAS(p,o,n)    atomic_cmpxchg((volatile GLB uint*)(p),(o),(n))
# define A_CAS64(p,o,n)  atom_cmpxchg((volatile GLB u64*)(p),(o),(n))
# define AS_U32(x)       as_uint(x)
# define AS_U64(x)       as_ulong(x)
# define AS_F32(x)       as_float(x)
# define AS_F64(x)       as_double(x)
typedef long i64;
#elif defined(HOST_KERNELS)
static inline uint host_cas(uint* p, uint old, uint x) {
  return __sync_val_compare_and_swap(p, old, x);
}
static inline u64 host_cas64(u64* p, u64 old, u64 x) { return __sync_val_compare_and_swap(p, old, x); }
static inline uint host_u32(float x) { union { float f; uint b; } v = { .f = x }; return v.b; }
static inline float host_f32(uint x) { union { uint b; float f; } v = { .b = x }; return v.f; }
static inline u64 host_u64(double x) { union { double f; u64 b; } v = { .f = x }; return v.b; }
static inline double host_f64(u64 x) { union { u64 b; double f; } v = { .b = x }; return v.f; }
# define A_CAS(p,o,n)    host_cas((uint*)(p),(uint)(o),(uint)(n))
# define A_CAS64(p,o,n)  host_cas64((u64*)(p),(u64)(o),(u64)(n))
# define AS_U32(x)       host_u32(x)
# define AS_U64(x)       host_u64(x)
# define AS_F32(x)       host_f32(x)
# define AS_F64(x)       host_f64(x)
typedef long long i64;
#else /* CUDA */
# if defined(__NVCC__) || defined(__CUDACC_RTC__)
#  define A_CAS(p,o,n)   atomicCAS((unsigned*)(p),(unsigned)(o),(unsigned)(n))
#  define A_CAS64(p,o,n) atomicCAS((u64*)(p),(u64)(o),(u64)(n))
#  define AS_U32(x)      __float_as_uint(x)
#  define AS_U64(x)      ((u64)__double_as_longlong(x))
#  define AS_F32(x)      __uint_as_float(x)
#  define AS_F64(x)      __longlong_as_double((long long)(x))
# else
#  define A_CAS(p,o,n)   __nvvm_atom_cas_gen_i((int*)(p),(int)(o),(int)(n))
#  define A_CAS64(p,o,n) __nvvm_atom_cas_gen_ll((long long*)(p),(long long)(o),(long long)(n))
#  define AS_U32(x)      __builtin_bit_cast(unsigned,(x))
#  define AS_U64(x)      __builtin_bit_cast(u64,(x))
#  define AS_F32(x)      __builtin_bit_cast(float,(x))
#  define AS_F64(x)      __builtin_bit_cast(double,(x))
# endif
typedef long long i64;
#endif

/* the largest values of package program's types */
#define U32_TOP 0xffffffffu
#define I32_TOP 0x7fffffff
#define U64_TOP (~(u64)0)
#define I64_TOP ((i64)(~(u64)0 >> 1))
#define F32_TOP AS_F32(0x7f800000u)
#define F64_TOP AS_F64((u64)0x7ff00000u << 32)

/* An aligned word is read and written whole. */
#ifdef RACECHECK
# define LDF(p)  A_CAS((p),0u,0u)
#else
# define LDF(p)  (*(volatile GLB uint*)(p))
#endif
/* puts v into a set */
FN void join(GLB uint* set, uint v) {
  uint bit = 1u << (v & 31);
  if (!(LD(&set[v >> 5]) & bit)) A_OR(&set[v >> 5], bit);
}
