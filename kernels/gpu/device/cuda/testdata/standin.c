/* A stand-in for NVIDIA's libcuda.so.1, for tests on machines without a GPU. It implements the
 * driver calls that the two CUDA drivers make over host memory, and answers "not supported" to the
 * others that a binary with gorgonia.org/cu names. It proves the calls, not a GPU.
 *
 * It is stricter than a driver: copies must lie within device memory and page-locked memory that
 * were allocated, every call needs a current context, a barrier that some lanes of a group miss is
 * a fault, and a context may be destroyed only when all that was made in it is gone.
 *
 * TOTEMGO_STANDIN_DEVICES=N   the number of devices (1)
 * TOTEMGO_STANDIN_ARCH=N      compute capability, 10 x major + minor (60)
 * TOTEMGO_STANDIN_FAIL=N      makes the N-th enqueued operation (launch, copy, fill) a sticky
 *                             illegal address; NAME:N:CODE the N-th call of NAME return CODE, sticky
 *                             if it is from 700 to 799
 * TOTEMGO_STANDIN_LATE=1      holds operations back until somebody waits for them; else they are
 *                             done before a call returns
 * TOTEMGO_STANDIN_COUNTS=FILE calls by name, a line each; "threads" counts calls that come from
 *                             another thread than the one before
 *
 * Built by scripts/cuda-standin.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels.h"

typedef int result;
typedef unsigned long long devptr;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
       INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700,
       PRIMARY_CONTEXT_ACTIVE = 708, NOT_SUPPORTED = 801 };

/* One lock for everything: shared arrays are static, and so is the group that runs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void unlock(int *unused) { (void)unused; pthread_mutex_unlock(&lock); }
#define LOCKED int held __attribute__((cleanup(unlock), unused)) = pthread_mutex_lock(&lock)

struct context {
  int device, live; /* live: memory, streams, events and modules that are not freed */
  int maps;         /* it was made with the flag that mapping host memory asks for */
  int gone;
  result fault;     /* the sticky fault */
};

static __thread struct context *current;

static long number(const char *name, long otherwise) {
  const char *n = getenv(name);
  return n ? atol(n) : otherwise;
}

static int devices(void) { return number("TOTEMGO_STANDIN_DEVICES", 1); }

/* ---- counts and faults of calls ---- */

static void count(const char *name) {
  static struct { const char *name; long n; } list[200];
  static char of[4096], *file = MAP_FAILED;
  static int fd = -1, used;
  const char *path = getenv("TOTEMGO_STANDIN_COUNTS");
  if (!path) return;
  if (strcmp(path, of)) {
    if (fd >= 0) close(fd);
    snprintf(of, sizeof of, "%s", path);
    used = 0, fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    file = mmap(0, 64 * 200, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (file == MAP_FAILED) return;
  int i = 0;
  while (i < used && strcmp(list[i].name, name)) i++;
  if (i == used) {
    if (used == 200 || ftruncate(fd, 64 * (i + 1))) return;
    list[used++].name = name, list[i].n = 0;
  }
  char line[128];
  snprintf(line, sizeof line, "%-47.47s %15ld\n", name, ++list[i].n);
  memcpy(file + 64 * i, line, 64);
}

/* enter counts a call, and returns the status that it is to fail with. */
static result enter(const char *name) {
  static char of[256];
  static long calls;
  static pthread_t before;
  LOCKED;
  count(name);
  if (!pthread_equal(before, pthread_self())) before = pthread_self(), count("threads");
  const char *fail = getenv("TOTEMGO_STANDIN_FAIL");
  size_t n = strlen(name);
  if (!fail || strncmp(fail, name, n) || fail[n] != ':') return OK;
  if (strcmp(fail, of)) snprintf(of, sizeof of, "%s", fail), calls = 0;
  char *code;
  if (++calls != strtol(fail + n + 1, &code, 10) || *code != ':') return OK;
  result r = atoi(code + 1);
  if (current && r / 100 == 7) current->fault = r;
  return r;
}

#define ENTER \
  result entered = enter(__func__); \
  if (entered) return entered
#define CURRENT \
  ENTER; \
  LOCKED; \
  if (!current || current->gone) return INVALID_CONTEXT
#define CONTEXT \
  CURRENT; \
  if (current->fault) return current->fault

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
  struct op *first, **end;      /* a stream's operations that are held back */
  struct handle *stream;        /* of an event */
  long enqueued, done, upto;    /* operations of a stream, and those before an event */
  double time;                  /* of an event, in ms */
  const struct kernel *kernels; /* of a module */
};

static result make(void **to, int kind) {
  struct handle *h = calloc(1, sizeof *h);
  if (!h) return OUT_OF_MEMORY;
  h->end = &h->first;
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
  h->of->live--, h->kind = 0; /* the memory stays, so that a later use shows */
  return OK;
}

/* ---- operations: done at once, or held back ---- */

struct op {
  struct op *next;
  const struct kernel *kernel; /* a launch; else a fill where from is 0, else a copy */
  unsigned groups, lanes, word;
  char *to;
  const char *from;
  size_t bytes;
  unsigned long long cells[64];
};

static result perform(struct op *o) {
  if (o->kernel) {
    void *args[64];
    for (int i = 0; i < o->kernel->parameters; i++) args[i] = &o->cells[i];
    return o->kernel->run(o->kernel, args, o->groups, o->lanes);
  }
  if (!within(o->to, o->bytes, 0) && !within(o->to, o->bytes, 1)) return ILLEGAL_ADDRESS;
  if (o->from && !within(o->from, o->bytes, 0) && !within(o->from, o->bytes, 1)) return ILLEGAL_ADDRESS;
  if (o->from) memcpy(o->to, o->from, o->bytes);
  else
    for (size_t i = 0; i < o->bytes / 4; i++) ((unsigned *)o->to)[i] = o->word;
  return OK;
}

/* flush performs a stream's operations up to the given number. */
static result flush(struct handle *s, long upto) {
  while (s->first && s->done < upto) {
    struct op *o = s->first;
    if (!(s->first = o->next)) s->end = &s->first;
    s->done++;
    result r = s->of->fault ? OK : perform(o);
    free(o);
    if (r) s->of->fault = r;
  }
  return s->of->fault;
}

/* enqueue counts an operation, fails the one that is to fail, and performs or holds the others. */
static result enqueue(void *stream, struct op *o) {
  static long operations;
  const char *fail = getenv("TOTEMGO_STANDIN_FAIL");
  struct handle *s = stream;
  if (!is(stream, STREAM)) return INVALID_HANDLE;
  if (fail && ++operations == strtol(fail, 0, 10)) return current->fault = ILLEGAL_ADDRESS;
  s->enqueued++;
  if (!getenv("TOTEMGO_STANDIN_LATE")) {
    flush(s, s->enqueued);
    s->done++;
    result r = perform(o);
    return r > 1 ? current->fault = r : r;
  }
  struct op *copy = malloc(sizeof *copy);
  if (!copy) return OUT_OF_MEMORY;
  *copy = *o, copy->next = 0;
  *s->end = copy, s->end = &copy->next;
  return OK;
}

result cuLaunchKernel(const struct kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **args, void **extra) {
  CONTEXT;
  if (gx < 1 || gy != 1 || gz != 1 || bx < 1 || by != 1 || bz != 1 || shared || extra || k->parameters > 64) return INVALID_VALUE;
  struct op o = {.kernel = k, .groups = gx, .lanes = bx};
  for (int i = 0; i < k->parameters; i++) memcpy(&o.cells[i], args[i], 8);
  return enqueue(stream, &o);
}

/* ---- driver and devices ---- */

result cuInit(unsigned flags) { ENTER; return flags ? INVALID_VALUE : devices() > 0 ? OK : NO_DEVICE; }
result cuDriverGetVersion(int *v) { ENTER; return *v = 11080, OK; }
result cuDeviceGetCount(int *n) { ENTER; return *n = devices(), OK; }
result cuDeviceGet(int *device, int i) { ENTER; return *device = i, i < 0 || i >= devices() ? INVALID_DEVICE : OK; }
result cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER;
  return *bytes = device_memory, device < devices() ? OK : INVALID_DEVICE;
}
result cuDeviceGetName(char *name, int size, int device) {
  ENTER;
  return snprintf(name, size, "stand-in %d without a GPU", device), OK;
}
result cuGetErrorName(result code, const char **to) {
  static const struct { result code; const char *name; } names[] = {
    {OK, "CUDA_SUCCESS"}, {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"}, {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"}, {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"}, {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {999, "CUDA_ERROR_UNKNOWN"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) return *to = names[i].name, OK;
  return *to = 0, INVALID_VALUE;
}
result cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER;
  if (device >= devices()) return INVALID_DEVICE;
  switch (attribute) {
  case 1: *value = 1024; return OK;  /* lanes of a group */
  case 8: *value = 49152; return OK; /* shared memory of a group */
  case 16: *value = 1; return OK;    /* multiprocessors */
  case 18: *value = 0; return OK;    /* integrated */
  case 19: *value = 1; return OK;    /* maps host memory */
  case 33: *value = device + 1; return OK; /* PCI bus */
  case 34: case 50: *value = 0; return OK; /* PCI device, domain */
  case 36: *value = 1000; return OK; /* memory clock, kHz */
  case 37: *value = 256; return OK;  /* bus width, bits */
  case 75: *value = number("TOTEMGO_STANDIN_ARCH", 60) / 10; return OK; /* compute capability */
  case 76: *value = number("TOTEMGO_STANDIN_ARCH", 60) % 10; return OK;
  }
  return NOT_SUPPORTED;
}

/* ---- contexts ---- */

static result destroy(struct context *c) {
  if (c->live && !c->fault) {
    fprintf(stderr, "standin: a context is destroyed while %d things made in it are left\n", c->live);
    return INVALID_VALUE;
  }
  return c->gone = 1, OK;
}

result cuCtxCreate_v2(struct context **to, unsigned flags, int device) {
  ENTER;
  LOCKED;
  if (device < 0 || device >= devices()) return INVALID_DEVICE;
  struct context *c = calloc(1, sizeof *c);
  if (!c) return OUT_OF_MEMORY;
  c->device = device, c->maps = (flags & 8) != 0, current = *to = c;
  return OK;
}
/* Contexts are never freed here: a thread may still have one current. */
result cuCtxDestroy_v2(struct context *c) {
  ENTER;
  LOCKED;
  if (!c) return INVALID_CONTEXT;
  if (current == c) current = 0;
  return destroy(c);
}
result cuCtxSetCurrent(struct context *c) {
  ENTER;
  return c && c->gone ? INVALID_CONTEXT : (current = c, OK);
}
result cuCtxGetCurrent(struct context **to) { return *to = current, OK; }
/* A thread that comes from the scheduler has no context: nothing may leave one behind. */
result cuCtxPushCurrent_v2(struct context *c) {
  ENTER;
  if (!c || current) return INVALID_CONTEXT;
  return current = c, OK;
}
result cuCtxPopCurrent_v2(struct context **to) {
  ENTER;
  if (!current) return INVALID_CONTEXT;
  return *to = current, current = 0, OK;
}

static struct { struct context *context; int users; } primary[64];
result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  ENTER;
  LOCKED;
  if (device < 0 || device >= devices()) return INVALID_DEVICE;
  return primary[device].users ? PRIMARY_CONTEXT_ACTIVE : flags & ~7u ? INVALID_VALUE : OK;
}
result cuDevicePrimaryCtxRetain(struct context **to, int device) {
  ENTER;
  LOCKED;
  if (device < 0 || device >= devices() || device >= 64) return INVALID_DEVICE;
  if (!primary[device].users && !(primary[device].context = calloc(1, sizeof(struct context)))) return OUT_OF_MEMORY;
  primary[device].users++, *to = primary[device].context;
  return (*to)->device = device, (*to)->maps = 1, OK;
}
static result release(int device) {
  LOCKED;
  if (device < 0 || device >= 64 || !primary[device].users) return INVALID_CONTEXT;
  return --primary[device].users ? OK : destroy(primary[device].context);
}
result cuDevicePrimaryCtxRelease_v2(int device) {
  result r = release(device); /* also where the call is to fail */
  ENTER;
  return r;
}

/* ---- modules ---- */

/* An image is PTX, for the kernels of this library, or what the stand-in for NVRTC made: it names a
 * library of kernels. */
result cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
  CONTEXT;
  const struct kernel *kernels = host_kernels;
  char path[4096];
  if (sscanf(image, "standin %4095[^\n]", path) == 1) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open: Close would free running code */
    if (!library || !(kernels = dlsym(library, "host_kernels"))) return INVALID_PTX;
  } else if (!strstr(image, "\n.version ") || !strstr(image, "\n.target sm_")) {
    if (n == 2 && options[0] == 5 && options[1] == 6) snprintf(values[0], (size_t)values[1], "standin: no PTX");
    return INVALID_PTX;
  }
  result r = make(module, MODULE);
  if (!r) ((struct handle *)*module)->kernels = kernels;
  return r;
}
result cuModuleUnload(void *module) { CURRENT; return drop(module, MODULE); }
result cuModuleGetFunction(const void **function, void *module, const char *name) {
  CONTEXT;
  if (!is(module, MODULE)) return INVALID_HANDLE;
  for (const struct kernel *k = ((struct handle *)module)->kernels; k->name; k++)
    if (!strcmp(k->name, name)) return *function = k, OK;
  return NOT_FOUND;
}

/* ---- memory calls ---- */

result cuMemAlloc_v2(devptr *to, size_t bytes) { CONTEXT; return reserve((void **)to, bytes, 0); }
result cuMemFree_v2(devptr at) { CURRENT; return give_back((void *)at, 0); }
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
result cuMemFreeHost(void *at) { CURRENT; return give_back(at, 1); }
result cuMemcpyHtoDAsync_v2(devptr to, const void *from, size_t n, void *stream) {
  CONTEXT;
  if (!within((void *)to, n, 0) || !within(from, n, 1)) return INVALID_VALUE;
  return enqueue(stream, &(struct op){.to = (char *)to, .from = from, .bytes = n});
}
result cuMemcpyDtoHAsync_v2(void *to, devptr from, size_t n, void *stream) {
  CONTEXT;
  if (!within((void *)from, n, 0) || !within(to, n, 1)) return INVALID_VALUE;
  return enqueue(stream, &(struct op){.to = to, .from = (char *)from, .bytes = n});
}
result cuMemsetD32Async(devptr to, unsigned word, size_t n, void *stream) {
  CONTEXT;
  if (to % 4 || !within((void *)to, 4 * n, 0) || 4 * n >= (size_t)1 << 31) return INVALID_VALUE;
  return enqueue(stream, &(struct op){.to = (char *)to, .word = word, .bytes = 4 * n});
}

/* ---- streams and events ---- */

result cuStreamCreate(void **to, unsigned flags) { CONTEXT; (void)flags; return make(to, STREAM); }
result cuStreamDestroy_v2(void *s) {
  CURRENT;
  if (is(s, STREAM)) flush(s, ((struct handle *)s)->enqueued);
  return drop(s, STREAM);
}
result cuStreamSynchronize(void *s) {
  CONTEXT;
  return is(s, STREAM) ? flush(s, ((struct handle *)s)->enqueued) : INVALID_HANDLE;
}
result cuStreamQuery(void *stream) {
  CONTEXT;
  return !is(stream, STREAM) ? INVALID_HANDLE : ((struct handle *)stream)->first ? NOT_READY : OK;
}
result cuEventCreate(void **to, unsigned flags) { CONTEXT; (void)flags; return make(to, EVENT); }
result cuEventDestroy_v2(void *e) { CURRENT; return drop(e, EVENT); }
result cuEventRecord(void *event, void *stream) {
  static double clock; /* an event is 0.25 ms later than the one before */
  CONTEXT;
  struct handle *e = event, *s = stream;
  if (!is(s, STREAM) || !is(e, EVENT)) return INVALID_HANDLE;
  return e->stream = s, e->upto = s->enqueued, e->time = clock += 0.25, OK;
}
/* complete is true of an event without a stream, or whose stream is that far. */
static int complete(struct handle *e) { return !e->stream || e->stream->kind != STREAM || e->stream->done >= e->upto; }
result cuEventQuery(void *e) { CONTEXT; return !is(e, EVENT) ? INVALID_HANDLE : complete(e) ? OK : NOT_READY; }
result cuEventSynchronize(void *event) {
  CONTEXT;
  struct handle *e = event;
  return !is(e, EVENT) ? INVALID_HANDLE : complete(e) ? OK : flush(e->stream, e->upto);
}
result cuStreamWaitEvent(void *s, void *e, unsigned flags) {
  CONTEXT;
  if (!is(s, STREAM) || !is(e, EVENT) || flags) return INVALID_HANDLE;
  return complete(e) ? OK : flush(((struct handle *)e)->stream, ((struct handle *)e)->upto);
}
result cuEventElapsedTime(float *ms, void *from, void *to) {
  CONTEXT;
  if (!is(from, EVENT) || !is(to, EVENT)) return INVALID_HANDLE;
  if (!complete(from) || !complete(to)) return NOT_READY;
  return *ms = ((struct handle *)to)->time - ((struct handle *)from)->time, OK;
}

/* ---- what a binary names and neither driver calls ---- */

#define ABSENT(name) result name(void) { return NOT_SUPPORTED; }
ABSENT(name) ABSENT(cuArray3DCreate_v2) ABSENT(cuArray3DGetDescriptor_v2) ABSENT(cuArrayCreate_v2)
ABSENT(cuArrayDestroy) ABSENT(cuArrayGetDescriptor_v2) ABSENT(cuCtxDisablePeerAccess)
ABSENT(cuCtxEnablePeerAccess) ABSENT(cuCtxGetApiVersion) ABSENT(cuCtxGetCacheConfig) ABSENT(cuCtxGetDevice)
ABSENT(cuCtxGetFlags) ABSENT(cuCtxGetLimit) ABSENT(cuCtxGetSharedMemConfig)
ABSENT(cuCtxGetStreamPriorityRange) ABSENT(cuCtxResetPersistingL2Cache) ABSENT(cuCtxSetCacheConfig)
ABSENT(cuCtxSetLimit) ABSENT(cuCtxSetSharedMemConfig) ABSENT(cuCtxSynchronize) ABSENT(cuDeviceCanAccessPeer)
ABSENT(cuDeviceGetP2PAttribute) ABSENT(cuDeviceGetUuid) ABSENT(cuDevicePrimaryCtxGetState)
ABSENT(cuDevicePrimaryCtxReset_v2) ABSENT(cuFuncGetAttribute) ABSENT(cuFuncSetCacheConfig)
ABSENT(cuFuncSetSharedMemConfig) ABSENT(cuGraphAddChildGraphNode) ABSENT(cuGraphAddDependencies)
ABSENT(cuGraphAddEmptyNode) ABSENT(cuGraphAddHostNode) ABSENT(cuGraphAddKernelNode)
ABSENT(cuGraphAddMemcpyNode) ABSENT(cuGraphAddMemsetNode) ABSENT(cuGraphClone) ABSENT(cuGraphCreate)
ABSENT(cuGraphDestroy) ABSENT(cuGraphDestroyNode) ABSENT(cuGraphExecDestroy) ABSENT(cuGraphGetEdges)
ABSENT(cuLinkAddData_v2) ABSENT(cuLinkAddFile_v2) ABSENT(cuLinkComplete) ABSENT(cuLinkCreate_v2)
ABSENT(cuLinkDestroy) ABSENT(cuMemAdvise) ABSENT(cuMemAllocManaged) ABSENT(cuMemAllocPitch_v2)
ABSENT(cuMemGetAddressRange_v2) ABSENT(cuMemGetInfo_v2) ABSENT(cuMemPrefetchAsync) ABSENT(cuMemcpy)
ABSENT(cuMemcpy2DAsync_v2) ABSENT(cuMemcpy2DUnaligned_v2) ABSENT(cuMemcpy2D_v2) ABSENT(cuMemcpy3DAsync_v2)
ABSENT(cuMemcpy3DPeer) ABSENT(cuMemcpy3DPeerAsync) ABSENT(cuMemcpy3D_v2) ABSENT(cuMemcpyAsync)
ABSENT(cuMemcpyAtoA_v2) ABSENT(cuMemcpyAtoD_v2) ABSENT(cuMemcpyAtoHAsync_v2) ABSENT(cuMemcpyAtoH_v2)
ABSENT(cuMemcpyDtoA_v2) ABSENT(cuMemcpyDtoDAsync_v2) ABSENT(cuMemcpyDtoD_v2) ABSENT(cuMemcpyDtoH_v2)
ABSENT(cuMemcpyHtoAAsync_v2) ABSENT(cuMemcpyHtoA_v2) ABSENT(cuMemcpyHtoD_v2) ABSENT(cuMemcpyPeer)
ABSENT(cuMemcpyPeerAsync) ABSENT(cuMemsetD16Async) ABSENT(cuMemsetD16_v2) ABSENT(cuMemsetD2D16Async)
ABSENT(cuMemsetD2D16_v2) ABSENT(cuMemsetD2D32Async) ABSENT(cuMemsetD2D32_v2) ABSENT(cuMemsetD2D8Async)
ABSENT(cuMemsetD2D8_v2) ABSENT(cuMemsetD32_v2) ABSENT(cuMemsetD8Async) ABSENT(cuMemsetD8_v2)
ABSENT(cuModuleGetGlobal_v2) ABSENT(cuModuleGetSurfRef) ABSENT(cuModuleGetTexRef) ABSENT(cuModuleLoad)
ABSENT(cuModuleLoadData) ABSENT(cuModuleLoadFatBinary) ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) ABSENT(cuPointerGetAttribute)
ABSENT(cuPointerSetAttribute) ABSENT(cuStreamAttachMemAsync) ABSENT(cuStreamCreateWithPriority)
ABSENT(cuStreamGetFlags) ABSENT(cuStreamGetPriority) ABSENT(cuStreamWaitValue32) ABSENT(cuStreamWriteValue32)
ABSENT(cuSurfRefGetArray) ABSENT(cuSurfRefSetArray) ABSENT(cuTexRefGetAddressMode)
ABSENT(cuTexRefGetAddress_v2) ABSENT(cuTexRefGetArray) ABSENT(cuTexRefGetBorderColor)
ABSENT(cuTexRefGetFilterMode) ABSENT(cuTexRefGetFlags) ABSENT(cuTexRefGetFormat)
ABSENT(cuTexRefGetMaxAnisotropy) ABSENT(cuTexRefSetAddress2D_v3) ABSENT(cuTexRefSetAddressMode)
ABSENT(cuTexRefSetAddress_v2) ABSENT(cuTexRefSetArray) ABSENT(cuTexRefSetBorderColor)
ABSENT(cuTexRefSetFilterMode) ABSENT(cuTexRefSetFlags) ABSENT(cuTexRefSetFormat)
ABSENT(cuTexRefSetMaxAnisotropy) ABSENT(cuTexRefSetMipmapFilterMode) ABSENT(cuTexRefSetMipmapLevelBias)
ABSENT(cuTexRefSetMipmapLevelClamp)
