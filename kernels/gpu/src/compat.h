/* compat.h - one dialect, five compilers: OpenCL C 1.2, nvcc, NVRTC, clang for CUDA without an
 * SDK, and C for the host. No other file knows the vendor.
 *
 * Rules of the dialect: shared arrays at kernel scope only, pointers to them LOC, global
 * pointers GLB; scalars are uint or u64; the group size is the constant WG; every lane of a
 * group must reach a BARRIER. LD, LLD and LST are deliberate races: reads of words that
 * other lanes change by atomics, and a flag for early exit. With RACECHECK they are atomics,
 * so that a race checker finds none. A_CAS64 needs INT64 defined, double FP64: a device may lack them. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
# pragma OPENCL FP_CONTRACT OFF
# define KERNEL        __kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void
# define FN            static inline
# define GLB           __global
# define LOC           __local
# define RESTRICT      restrict
# define LID           ((uint)get_local_id(0))
# define GRP           ((uint)get_group_id(0))
# define NGRP          ((uint)get_num_groups(0))
# define BARRIER()     barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE)
# define POPC(x)       popcount(x)
# define CTZ(x)        (31u - clz((x) & -(x)))
# define CLZ(x)        clz(x)
# define A_ADD(p,v)    atomic_add((p),(v))
# define A_OR(p,v)     atomic_or((p),(v))
# define A_MAX(p,v)    atomic_max((p),(v))
# define LA_ADD(p,v)   atomic_add((p),(v))
# define LA_OR(p,v)    atomic_or((p),(v))
# define LA_MAX(p,v)   atomic_max((p),(v))
# ifdef RACECHECK
#  define LD(p)        atomic_or((p),0u)
#  define LLD(p)       atomic_or((p),0u)
#  define LST(p,v)     atomic_xchg((p),(v))
# else
#  define LD(p)        (*(p))
#  define LLD(p)       (*(volatile LOC uint*)(p))
#  define LST(p,v)     (*(volatile LOC uint*)(p) = (v))
# endif
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
typedef uchar u8;
typedef ulong u64;
typedef long i64;
#elif defined(HOST_KERNELS) /* C: the lanes of a group run one after the other between barriers */
static unsigned host_lane, host_group, host_groups;
static void host_barrier(void);
static inline unsigned host_max(unsigned* p, unsigned v) {
  unsigned old = *p;
  if (v > old) *p = v;
  return old;
}
# define KERNEL        static __attribute__((unused)) void
# define FN            static inline
# define GLB
# define LOC
# define __local       static /* one group runs at a time */
# define RESTRICT
# define LID           host_lane
# define GRP           host_group
# define NGRP          host_groups
# define BARRIER()     host_barrier()
# define POPC(x)       ((uint)__builtin_popcount(x))
# define CTZ(x)        ((uint)__builtin_ctz(x))
# define CLZ(x)        ((uint)__builtin_clz(x))
# define A_ADD(p,v)    __atomic_fetch_add((p),(v),__ATOMIC_RELAXED)
# define A_OR(p,v)     __atomic_fetch_or((p),(v),__ATOMIC_RELAXED)
# define A_MAX(p,v)    host_max((p),(v))
# define LA_ADD(p,v)   A_ADD(p,v)
# define LA_OR(p,v)    A_OR(p,v)
# define LA_MAX(p,v)   A_MAX(p,v)
# define LD(p)         (*(volatile uint*)(p))
# define LLD(p)        (*(volatile uint*)(p))
# define LST(p,v)      (*(volatile uint*)(p) = (v))
typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
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
#else /* CUDA */
# if defined(__NVCC__) || defined(__CUDACC_RTC__)
#  define TIDX threadIdx.x
#  define BIDX blockIdx.x
#  define GDIM gridDim.x
#  define SYNC() __syncthreads()
#  define A_ADD(p,v)    atomicAdd((p),(v))
#  define A_OR(p,v)     atomicOr((p),(v))
#  define A_MAX(p,v)    atomicMax((p),(v))
#  define POPC(x)       ((uint)__popc(x))
#  define CTZ(x)        ((uint)(__ffs(x) - 1))
#  define CLZ(x)        ((uint)__clz(x))
#  define BALLOT(x)     __ballot_sync(NONE,(x))
# else /* clang -nocudainc -nocudalib: builtins only */
#  define __global__ __attribute__((global))
#  define __device__ __attribute__((device))
#  define __shared__ __attribute__((shared))
#  define TIDX __nvvm_read_ptx_sreg_tid_x()
#  define BIDX __nvvm_read_ptx_sreg_ctaid_x()
#  define GDIM __nvvm_read_ptx_sreg_nctaid_x()
#  define SYNC() __nvvm_bar_sync(0)
#  define A_ADD(p,v)    __atomic_fetch_add((p),(v),__ATOMIC_RELAXED)
#  define A_OR(p,v)     __atomic_fetch_or((p),(v),__ATOMIC_RELAXED)
#  define A_MAX(p,v)    __nvvm_atom_max_gen_ui((p),(v))
#  define POPC(x)       ((uint)__builtin_popcount(x))
#  define CTZ(x)        ((uint)__builtin_ctz(x))
#  define CLZ(x)        ((uint)__builtin_clz(x))
#  define BALLOT(x)     __nvvm_vote_ballot_sync(NONE,(x))
# endif
# define KERNEL        extern "C" __global__ void
# define FN            static inline __device__
# define GLB
# define LOC
# define __local       __shared__
# define RESTRICT      __restrict__
# define LID           ((uint)TIDX)
# define GRP           ((uint)BIDX)
# define NGRP          ((uint)GDIM)
# define BARRIER()     SYNC()
# define LA_ADD(p,v)   A_ADD(p,v)
# define LA_OR(p,v)    A_OR(p,v)
# define LA_MAX(p,v)   A_MAX(p,v)
# define LD(p)         (*(p))
# define LLD(p)        (*(volatile uint*)(p))
# define LST(p,v)      (*(volatile uint*)(p) = (v))
typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
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
#endif
/* a shared array, declared at the top of a kernel */
#define SHARED(T,name,n) __local T name[n]
#define NONE 0xffffffffu
/* sets bit LID%32 of a word for the lanes of 32 whose x is true; all lanes call it */
#ifdef BALLOT
# define VOTE(word,x)  do { uint vote = BALLOT(x); if (vote && !(LID & 31)) A_OR((word), vote); } while (0)
#else
# define VOTE(word,x)  do { if (x) A_OR((word), 1u << (LID & 31)); } while (0)
#endif
