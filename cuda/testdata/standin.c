/* A stand-in for NVIDIA's libcuda.so.1, for tests on machines without a GPU. It
 * implements the driver calls that package cuda makes over host memory, and answers
 * "not supported" to the others that the binary names. It proves the calls, not a GPU:
 * everything is done before a call returns.
 *
 * It is stricter than a driver: copies must lie within device memory and page-locked
 * memory that were allocated, every call needs a current context, a barrier that some
 * lanes of a group miss is a fault, and a context may be destroyed only when all that
 * was made in it is gone.
 *
 * TOTEMGO_STANDIN_DEVICES is the number of devices (1). TOTEMGO_STANDIN_FAIL=N makes
 * the N-th enqueued operation (launch, copy, fill) a sticky illegal address.
 *
 * Built by scripts/cuda-standin.sh, which writes kernels.inc: the kernel source, a
 * caller for each kernel, and their table. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

struct kernel {
  const char *name;
  void (*call)(void **args);
  int barriers; /* its lanes meet at barriers; without them they run one after the other */
};

#include "kernels.inc"

typedef int result;
typedef unsigned long long devptr;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
       INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719,
       NOT_SUPPORTED = 801 };

/* One lock for everything: shared arrays are static, and so is the group that runs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void unlock(int *unused) { (void)unused; pthread_mutex_unlock(&lock); }
#define LOCKED int held __attribute__((cleanup(unlock), unused)) = pthread_mutex_lock(&lock)

struct context {
  int device, live; /* live: memory, streams, events and modules that are not freed */
  int maps;         /* it was made with the flag that mapping host memory asks for */
  result fault;     /* the sticky fault */
};

static __thread struct context *current;

#define CONTEXT \
  LOCKED; \
  if (!current) return INVALID_CONTEXT; \
  if (current->fault) return current->fault

static int devices(void) {
  const char *n = getenv("TOTEMGO_STANDIN_DEVICES");
  return n ? atoi(n) : 1;
}

/* ---- memory ---- */

struct block {
  char *at;
  size_t bytes;
  int pinned, mapped; /* mapped: kernels may read it, at a device pointer of its own */
  struct context *of;
  struct block *next;
};
static struct block *blocks;
static const size_t device_memory = (size_t)1 << 30;
static size_t used;

static result reserve(void **to, size_t bytes, int pinned) {
  if (!bytes) return INVALID_VALUE;
  if (!pinned && used + bytes > device_memory) return OUT_OF_MEMORY;
  struct block *b = malloc(sizeof *b);
  if (!b || posix_memalign((void **)&b->at, 256, bytes)) return OUT_OF_MEMORY;
  memset(b->at, 0xA5, bytes); /* what is undefined shall look so */
  b->bytes = bytes, b->pinned = pinned, b->mapped = 0, b->of = current, b->next = blocks;
  blocks = b, current->live++, *to = b->at;
  if (!pinned) used += bytes;
  return OK;
}

static result give_back(void *at, int pinned) {
  for (struct block **p = &blocks; *p; p = &(*p)->next)
    if ((*p)->at == at && (*p)->pinned == pinned) {
      struct block *b = *p;
      *p = b->next, b->of->live--;
      if (!pinned) used -= b->bytes;
      free(b->at), free(b);
      return OK;
    }
  return INVALID_VALUE;
}

static int within(const void *at, size_t bytes, int pinned) {
  const char *c = at;
  for (struct block *b = blocks; b; b = b->next)
    if (b->pinned == pinned && c >= b->at && c + bytes <= b->at + b->bytes) return 1;
  return 0;
}

/* ---- handles ---- */

enum { STREAM = 0x5354, EVENT = 0x4556, MODULE = 0x4d4f };
struct handle {
  int kind;
  struct context *of;
};

static result make(void **to, int kind) {
  struct handle *h = malloc(sizeof *h);
  if (!h) return OUT_OF_MEMORY;
  h->kind = kind, h->of = current, current->live++, *to = h;
  return OK;
}

static int is(void *handle, int kind) {
  struct handle *h = handle;
  return h && h->kind == kind && h->of == current;
}

static result drop(void *handle, int kind) {
  if (!is(handle, kind)) return INVALID_HANDLE;
  struct handle *h = handle;
  h->of->live--, h->kind = 0;
  free(h);
  return OK;
}

/* enqueue counts an operation, and fails the one that is to fail. */
static result enqueue(void *stream) {
  static long count;
  const char *fail = getenv("TOTEMGO_STANDIN_FAIL");
  if (!is(stream, STREAM)) return INVALID_HANDLE;
  if (fail && ++count == atol(fail)) return current->fault = ILLEGAL_ADDRESS;
  return OK;
}

/* ---- a group: lanes are coroutines that take turns from barrier to barrier ---- */

#define STACK 65536
static jmp_buf turn, lanes[WG];
static char made[WG], ended[WG];
static const struct kernel *running;
static void **running_args;

/* A context is made once a lane, with ucontext; afterwards a switch is a jump, which
 * costs no system call. */
__attribute__((noinline)) static void host_barrier(void) {
  if (!_setjmp(lanes[host_lane])) _longjmp(turn, 1);
}

static void lane(void) {
  for (;;) {
    running->call(running_args);
    ended[host_lane] = 1;
    host_barrier();
  }
}

__attribute__((noinline)) static void resume(char *stack) {
  static ucontext_t start;
  if (_setjmp(turn)) return;
  if (made[host_lane]) _longjmp(lanes[host_lane], 1);
  made[host_lane] = 1;
  getcontext(&start);
  start.uc_stack.ss_sp = stack, start.uc_stack.ss_size = STACK, start.uc_link = 0;
  makecontext(&start, lane, 0);
  setcontext(&start);
}

static result run_group(void) {
  static char *stacks;
  if (!running->barriers) {
    for (host_lane = 0; host_lane < WG; host_lane++) running->call(running_args);
    return OK;
  }
  if (!stacks) {
    stacks = mmap(0, (size_t)WG * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED) return stacks = 0, OUT_OF_MEMORY;
  }
  memset(ended, 0, sizeof ended);
  for (unsigned round = 0;; round++) {
    unsigned finished = 0;
    for (unsigned i = 0; i < WG; i++) {
      host_lane = (round + host_group) & 1 ? WG - 1 - i : i; /* no order to rely on */
      resume(stacks + (size_t)host_lane * STACK);
    }
    for (unsigned i = 0; i < WG; i++) finished += ended[i];
    if (finished == WG) return OK;
    if (finished) {
      fprintf(stderr, "standin: %s: %u of %u lanes miss a barrier\n", running->name, finished, (unsigned)WG);
      memset(made, 0, sizeof made);
      return LAUNCH_FAILED;
    }
  }
}

result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **args, void **extra) {
  CONTEXT;
  if (gx < 1 || gy != 1 || gz != 1 || bx != WG || by != 1 || bz != 1 || shared || extra) return INVALID_VALUE;
  result r = enqueue(stream);
  if (r) return r;
  running = function, running_args = args, host_groups = gx;
  for (host_group = 0; host_group < gx; host_group++)
    if ((r = run_group())) return current->fault = r;
  return OK;
}

/* ---- driver and devices ---- */

result cuInit(unsigned flags) { return flags ? INVALID_VALUE : devices() > 0 ? OK : NO_DEVICE; }
result cuDriverGetVersion(int *v) { return *v = 11080, OK; }
result cuDeviceGetCount(int *n) { return *n = devices(), OK; }
result cuDeviceGet(int *device, int i) { return *device = i, i < 0 || i >= devices() ? INVALID_DEVICE : OK; }
result cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = device_memory, device < devices() ? OK : INVALID_DEVICE; }
result cuDeviceGetName(char *name, int size, int device) {
  return snprintf(name, size, "stand-in %d without a GPU", device), OK;
}
result cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (device >= devices()) return INVALID_DEVICE;
  switch (attribute) {
  case 1: *value = 1024; return OK;  /* lanes of a group */
  case 8: *value = 49152; return OK; /* shared memory of a group */
  case 16: *value = 1; return OK;    /* multiprocessors */
  case 18: *value = 0; return OK;    /* integrated */
  case 19: *value = 1; return OK;    /* maps host memory */
  case 36: *value = 1000; return OK; /* memory clock, kHz */
  case 37: *value = 256; return OK;  /* bus width, bits */
  case 75: *value = 6; return OK;    /* compute capability */
  case 76: *value = 0; return OK;
  }
  return NOT_SUPPORTED;
}

/* ---- contexts ---- */

result cuCtxCreate_v2(struct context **to, unsigned flags, int device) {
  LOCKED;
  if (device < 0 || device >= devices()) return INVALID_DEVICE;
  struct context *c = calloc(1, sizeof *c);
  if (!c) return OUT_OF_MEMORY;
  c->device = device, c->maps = (flags & 8) != 0, current = *to = c;
  return OK;
}
/* Contexts are never freed here: a thread may still have one current. */
result cuCtxDestroy_v2(struct context *c) {
  LOCKED;
  if (!c) return INVALID_CONTEXT;
  if (current == c) current = 0;
  if (c->live && !c->fault) {
    fprintf(stderr, "standin: a context is destroyed while %d things made in it are left\n", c->live);
    return INVALID_VALUE;
  }
  return OK;
}
result cuCtxSetCurrent(struct context *c) { return current = c, OK; }
result cuCtxGetCurrent(struct context **to) { return *to = current, OK; }
/* A thread that comes from the scheduler has no context: nothing may leave one behind. */
result cuCtxPushCurrent_v2(struct context *c) {
  if (!c || current) return INVALID_CONTEXT;
  return current = c, OK;
}
result cuCtxPopCurrent_v2(struct context **to) {
  if (!current) return INVALID_CONTEXT;
  return *to = current, current = 0, OK;
}

/* ---- modules ---- */

result cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
  CONTEXT;
  (void)options;
  if (!strstr(image, "\n.version ") || !strstr(image, "\n.target sm_")) {
    if (n == 2 && values[0]) snprintf(values[0], (size_t)values[1], "standin: no PTX");
    return INVALID_PTX;
  }
  return make(module, MODULE);
}
result cuModuleUnload(void *module) { LOCKED; return drop(module, MODULE); }
result cuModuleGetFunction(const void **function, void *module, const char *name) {
  CONTEXT;
  if (!is(module, MODULE)) return INVALID_HANDLE;
  for (const struct kernel *k = host_kernels; k->name; k++)
    if (!strcmp(k->name, name)) return *function = k, OK;
  return NOT_FOUND;
}

/* ---- memory calls ---- */

result cuMemAlloc_v2(devptr *to, size_t bytes) { CONTEXT; return reserve((void **)to, bytes, 0); }
result cuMemFree_v2(devptr at) { LOCKED; return give_back((void *)at, 0); }
result cuMemHostAlloc(void **to, size_t bytes, unsigned flags) {
  CONTEXT;
  if ((flags & 2) && !current->maps) return INVALID_VALUE;
  result r = reserve(to, bytes, 1);
  if (!r) blocks->mapped = (flags & 2) != 0;
  return r;
}
result cuMemHostGetDevicePointer_v2(devptr *to, void *at, unsigned flags) {
  CONTEXT;
  for (struct block *b = blocks; b; b = b->next)
    if (b->at == at && b->mapped && !flags) return *to = (devptr)at, OK;
  return INVALID_VALUE;
}
result cuMemFreeHost(void *at) { LOCKED; return give_back(at, 1); }
result cuMemcpyHtoDAsync_v2(devptr to, const void *from, size_t n, void *stream) {
  CONTEXT;
  result r = enqueue(stream);
  if (r) return r;
  if (!within((void *)to, n, 0) || !within(from, n, 1)) return INVALID_VALUE;
  return memcpy((void *)to, from, n), OK;
}
result cuMemcpyDtoHAsync_v2(void *to, devptr from, size_t n, void *stream) {
  CONTEXT;
  result r = enqueue(stream);
  if (r) return r;
  if (!within((void *)from, n, 0) || !within(to, n, 1)) return INVALID_VALUE;
  return memcpy(to, (void *)from, n), OK;
}
result cuMemsetD32Async(devptr to, unsigned word, size_t n, void *stream) {
  CONTEXT;
  result r = enqueue(stream);
  if (r) return r;
  if (to % 4 || !within((void *)to, 4 * n, 0)) return INVALID_VALUE;
  for (size_t i = 0; i < n; i++) ((unsigned *)to)[i] = word;
  return OK;
}

/* ---- streams and events ---- */

result cuStreamCreate(void **to, unsigned flags) { CONTEXT; (void)flags; return make(to, STREAM); }
result cuStreamDestroy_v2(void *s) { LOCKED; return drop(s, STREAM); }
result cuStreamSynchronize(void *s) { CONTEXT; return is(s, STREAM) ? OK : INVALID_HANDLE; }
result cuStreamWaitEvent(void *s, void *e, unsigned flags) {
  CONTEXT;
  return is(s, STREAM) && is(e, EVENT) && !flags ? OK : INVALID_HANDLE;
}
result cuEventCreate(void **to, unsigned flags) { CONTEXT; (void)flags; return make(to, EVENT); }
result cuEventDestroy_v2(void *e) { LOCKED; return drop(e, EVENT); }
result cuEventRecord(void *e, void *s) { CONTEXT; return is(s, STREAM) && is(e, EVENT) ? OK : INVALID_HANDLE; }
result cuEventSynchronize(void *e) { CONTEXT; return is(e, EVENT) ? OK : INVALID_HANDLE; }

/* ---- what the binary names and package cuda does not call ---- */

#define ABSENT(name) result name(void) { return NOT_SUPPORTED; }
ABSENT(cuArray3DCreate_v2) ABSENT(cuArray3DGetDescriptor_v2) ABSENT(cuArrayCreate_v2)
ABSENT(cuArrayDestroy) ABSENT(cuArrayGetDescriptor_v2) ABSENT(cuCtxDisablePeerAccess)
ABSENT(cuCtxEnablePeerAccess) ABSENT(cuCtxGetApiVersion) ABSENT(cuCtxGetCacheConfig)
ABSENT(cuCtxGetDevice) ABSENT(cuCtxGetFlags) ABSENT(cuCtxGetLimit)
ABSENT(cuCtxGetSharedMemConfig) ABSENT(cuCtxGetStreamPriorityRange) ABSENT(cuCtxResetPersistingL2Cache)
ABSENT(cuCtxSetCacheConfig) ABSENT(cuCtxSetLimit) ABSENT(cuCtxSetSharedMemConfig)
ABSENT(cuCtxSynchronize) ABSENT(cuDeviceCanAccessPeer) ABSENT(cuDeviceGetP2PAttribute)
ABSENT(cuDeviceGetUuid) ABSENT(cuDevicePrimaryCtxGetState) ABSENT(cuDevicePrimaryCtxRelease_v2)
ABSENT(cuDevicePrimaryCtxReset_v2) ABSENT(cuDevicePrimaryCtxRetain) ABSENT(cuDevicePrimaryCtxSetFlags_v2)
ABSENT(cuEventElapsedTime) ABSENT(cuEventQuery) ABSENT(cuFuncGetAttribute)
ABSENT(cuFuncSetCacheConfig) ABSENT(cuFuncSetSharedMemConfig) ABSENT(cuGraphAddChildGraphNode)
ABSENT(cuGraphAddDependencies) ABSENT(cuGraphAddEmptyNode) ABSENT(cuGraphAddHostNode)
ABSENT(cuGraphAddKernelNode) ABSENT(cuGraphAddMemcpyNode) ABSENT(cuGraphAddMemsetNode)
ABSENT(cuGraphClone) ABSENT(cuGraphCreate) ABSENT(cuGraphDestroy)
ABSENT(cuGraphDestroyNode) ABSENT(cuGraphExecDestroy) ABSENT(cuGraphGetEdges)
ABSENT(cuLinkAddData_v2) ABSENT(cuLinkAddFile_v2) ABSENT(cuLinkComplete)
ABSENT(cuLinkCreate_v2) ABSENT(cuLinkDestroy) ABSENT(cuMemAdvise)
ABSENT(cuMemAllocManaged) ABSENT(cuMemAllocPitch_v2) ABSENT(cuMemGetAddressRange_v2)
ABSENT(cuMemGetInfo_v2) ABSENT(cuMemPrefetchAsync) ABSENT(cuMemcpy)
ABSENT(cuMemcpy2DAsync_v2) ABSENT(cuMemcpy2DUnaligned_v2) ABSENT(cuMemcpy2D_v2)
ABSENT(cuMemcpy3DAsync_v2) ABSENT(cuMemcpy3DPeer) ABSENT(cuMemcpy3DPeerAsync)
ABSENT(cuMemcpy3D_v2) ABSENT(cuMemcpyAsync) ABSENT(cuMemcpyAtoA_v2)
ABSENT(cuMemcpyAtoD_v2) ABSENT(cuMemcpyAtoHAsync_v2) ABSENT(cuMemcpyAtoH_v2)
ABSENT(cuMemcpyDtoA_v2) ABSENT(cuMemcpyDtoDAsync_v2) ABSENT(cuMemcpyDtoD_v2)
ABSENT(cuMemcpyDtoH_v2) ABSENT(cuMemcpyHtoAAsync_v2) ABSENT(cuMemcpyHtoA_v2)
ABSENT(cuMemcpyHtoD_v2) ABSENT(cuMemcpyPeer) ABSENT(cuMemcpyPeerAsync)
ABSENT(cuMemsetD16Async) ABSENT(cuMemsetD16_v2) ABSENT(cuMemsetD2D16Async)
ABSENT(cuMemsetD2D16_v2) ABSENT(cuMemsetD2D32Async) ABSENT(cuMemsetD2D32_v2)
ABSENT(cuMemsetD2D8Async) ABSENT(cuMemsetD2D8_v2) ABSENT(cuMemsetD32_v2)
ABSENT(cuMemsetD8Async) ABSENT(cuMemsetD8_v2) ABSENT(cuModuleGetGlobal_v2)
ABSENT(cuModuleGetSurfRef) ABSENT(cuModuleGetTexRef) ABSENT(cuModuleLoad)
ABSENT(cuModuleLoadData) ABSENT(cuModuleLoadFatBinary) ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) ABSENT(cuPointerGetAttribute) ABSENT(cuPointerSetAttribute)
ABSENT(cuStreamAttachMemAsync) ABSENT(cuStreamCreateWithPriority) ABSENT(cuStreamGetFlags)
ABSENT(cuStreamGetPriority) ABSENT(cuStreamQuery) ABSENT(cuStreamWaitValue32)
ABSENT(cuStreamWriteValue32) ABSENT(cuSurfRefGetArray) ABSENT(cuSurfRefSetArray)
ABSENT(cuTexRefGetAddressMode) ABSENT(cuTexRefGetAddress_v2) ABSENT(cuTexRefGetArray)
ABSENT(cuTexRefGetBorderColor) ABSENT(cuTexRefGetFilterMode) ABSENT(cuTexRefGetFlags)
ABSENT(cuTexRefGetFormat) ABSENT(cuTexRefGetMaxAnisotropy) ABSENT(cuTexRefSetAddress2D_v3)
ABSENT(cuTexRefSetAddressMode) ABSENT(cuTexRefSetAddress_v2) ABSENT(cuTexRefSetArray)
ABSENT(cuTexRefSetBorderColor) ABSENT(cuTexRefSetFilterMode) ABSENT(cuTexRefSetFlags)
ABSENT(cuTexRefSetFormat) ABSENT(cuTexRefSetMaxAnisotropy) ABSENT(cuTexRefSetMipmapFilterMode)
ABSENT(cuTexRefSetMipmapLevelBias) ABSENT(cuTexRefSetMipmapLevelClamp) 
