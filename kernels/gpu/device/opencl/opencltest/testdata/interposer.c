// An OpenCL loader for tests. It forwards each call to the library REAL and counts it. The file
// STATE, mapped and shared with the test, holds the counts and says what to change: a call that
// fails, a call that waits, properties of devices.
//
// Arguments are passed on as ten words: no function here takes more, nor one by value that is wider.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Functions that return a status. The second argument is 1 for those that release.
#define STATUS(X)                                                                                        \
  X(clGetPlatformIDs, 0) X(clGetPlatformInfo, 0) X(clGetDeviceIDs, 0) X(clGetDeviceInfo, 0)              \
  X(clReleaseContext, 1) X(clReleaseCommandQueue, 1) X(clReleaseMemObject, 1)                            \
  X(clReleaseProgram, 1) X(clReleaseKernel, 1) X(clReleaseEvent, 1) X(clEnqueueUnmapMemObject, 1)        \
  X(clEnqueueReadBuffer, 0) X(clEnqueueWriteBuffer, 0) X(clEnqueueFillBuffer, 0)                         \
  X(clEnqueueCopyBuffer, 0) X(clBuildProgram, 0) X(clGetProgramInfo, 0) X(clGetProgramBuildInfo, 0)      \
  X(clSetKernelArg, 0) X(clEnqueueNDRangeKernel, 0) X(clEnqueueMarkerWithWaitList, 0)                    \
  X(clEnqueueBarrierWithWaitList, 0) X(clFlush, 0) X(clFinish, 0) X(clWaitForEvents, 0)                  \
  X(clGetEventProfilingInfo, 0) X(clGetEventInfo, 0)

// Functions that return a handle. The second argument is the place of the pointer to a status.
#define HANDLE(X)                                                                                        \
  X(clCreateContext, 6) X(clCreateCommandQueue, 4) X(clCreateBuffer, 5) X(clEnqueueMapBuffer, 10)        \
  X(clCreateProgramWithSource, 5) X(clCreateProgramWithBinary, 7) X(clCreateKernel, 3)

// Functions that are forwarded and counted only.
#define PLAIN(X) X(clSVMAlloc, 0) X(clSVMFree, 0) X(clGetExtensionFunctionAddress, 0)

typedef intptr_t word;
enum { NAME = 40, CALLS = 64 };
enum { ONCE, ALWAYS, LOST }; // scopes of a fault
enum {
#define ID(name, x) ID_##name,
  STATUS(ID) HANDLE(ID) PLAIN(ID)
};

struct state { // opencltest.go knows the places
  char failing[NAME];
  int64_t nth, code, scope, lost;
  char delayed[NAME];
  int64_t delay; // in microseconds
  int64_t units, discrete, largest;
  struct {
    char name[NAME];
    int64_t n;
  } calls[CALLS];
};

static struct state none, *state = &none;
static void *real;
static word queues[CALLS]; // those not released

__attribute__((constructor)) static void start(void) {
  int fd = open(STATE, O_RDWR);
  void *at = fd < 0 ? MAP_FAILED : mmap(0, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED || !(real = dlopen(REAL, RTLD_NOW | RTLD_LOCAL))) {
    fprintf(stderr, "interposer: neither " STATE " nor " REAL " may be missing\n");
    abort();
  }
  close(fd);
  state = at;
#define NAMED(call, x) strcpy(state->calls[ID_##call].name, #call);
  STATUS(NAMED) HANDLE(NAMED) PLAIN(NAMED)
}

typedef word function(word, word, word, word, word, word, word, word, word, word);

#define FORWARD(name) ((function *)dlsym(real, #name))(a, b, c, d, e, f, g, h, i, j)

// queue replaces a queue in the list, where 0 is a free place.
static void queue(word old, word new) {
  for (int i = 0; i < CALLS; i++)
    if (__atomic_compare_exchange_n(&queues[i], &(word){old}, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
}

// drain waits for all commands: a lost device runs none, and memory is freed at once.
static void drain(void) {
  for (int i = 0; i < CALLS; i++) {
    word q = __atomic_load_n(&queues[i], __ATOMIC_SEQ_CST);
    if (q) ((function *)dlsym(real, "clFinish"))(q, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }
}

// fails counts a call, delays it where the test wants that, and returns whether it fails.
static int fails(int id, const char *name, int releases) {
  int64_t n = __atomic_add_fetch(&state->calls[id].n, 1, __ATOMIC_SEQ_CST);
  if (state->delay && !strcmp(name, state->delayed)) usleep(state->delay);
  if (!strcmp(name, state->failing) && (n == state->nth || n > state->nth && state->scope != ONCE)) {
    if (state->scope == LOST) {
      __atomic_store_n(&state->lost, 1, __ATOMIC_SEQ_CST);
      drain();
    }
    return 1;
  }
  return __atomic_load_n(&state->lost, __ATOMIC_SEQ_CST) && !releases;
}

// pretend replaces what the driver told about a device.
static void pretend(word parameter, void *value) {
  if (!value) return;
  if (parameter == 0x1002 && state->units) *(uint32_t *)value = state->units;
  if (parameter == 0x1010 && state->largest) *(uint64_t *)value = state->largest;
  if (!state->discrete) return;
  if (parameter == 0x1000) *(uint64_t *)value = 4; // CL_DEVICE_TYPE_GPU
  if (parameter == 0x1035) *(uint32_t *)value = 0; // CL_DEVICE_HOST_UNIFIED_MEMORY
  if (parameter == 0x1053) *(uint64_t *)value = 0; // CL_DEVICE_SVM_CAPABILITIES
}

#define FUNCTION(name) word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j)
#define DEFINE_STATUS(name, releases)                                           \
  FUNCTION(name) {                                                              \
    int id = ID_##name, failed = fails(id, #name, releases);                    \
    if (failed && (id == ID_clFinish || id == ID_clWaitForEvents)) FORWARD(name); \
    if (failed) return (word)(int)state->code;                                  \
    if (id == ID_clReleaseCommandQueue) queue(a, 0);                            \
    word status = FORWARD(name);                                                \
    if (id == ID_clGetDeviceInfo) pretend(b, (void *)d);                        \
    return status;                                                              \
  }
#define DEFINE_HANDLE(name, place)                                              \
  FUNCTION(name) {                                                              \
    word arguments[10] = {a, b, c, d, e, f, g, h, i, j};                        \
    int *status = (int *)arguments[place - 1];                                  \
    if (!fails(ID_##name, #name, 0)) {                                          \
      word made = FORWARD(name);                                                \
      if (ID_##name == ID_clCreateCommandQueue && made) queue(0, made);         \
      return made;                                                              \
    }                                                                           \
    if (status) *status = state->code;                                          \
    return 0;                                                                   \
  }
#define DEFINE_PLAIN(name, x)                                                   \
  FUNCTION(name) { return fails(ID_##name, #name, 1) ? 0 : FORWARD(name); }

STATUS(DEFINE_STATUS) HANDLE(DEFINE_HANDLE) PLAIN(DEFINE_PLAIN)
