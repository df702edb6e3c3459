// An OpenCL loader with a broken driver, for tests. MODE is one of the modes of opencltest.go.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef intptr_t word;
static int is(const char *mode) { return !strcmp(mode, MODE); }

static void misbehave(void) {
  if (is("hang")) for (;;) sleep(1);
  if (is("crash")) *(volatile int *)0 = 1;
  if (is("exit")) exit(0);
  if (is("print")) (void)!write(1, "{\"rubbish\":\n", 12);
}

static int copy(const void *text, size_t n, void *to, size_t room, size_t *size) {
  if (size) *size = n;
  if (to) memcpy(to, text, n < room ? n : room);
  return 0;
}

int clGetPlatformIDs(unsigned n, void **to, unsigned *count) {
  misbehave();
  if (is("no platform")) return -1001;
  if (count) *count = 1;
  if (to && n) to[0] = (void *)0x10;
  return is("platform list fails") && n ? -6 : 0;
}

int clGetPlatformInfo(word p, unsigned q, size_t n, char *to, size_t *size) {
  return copy("Broken platform", 16, to, n, size);
}

int clGetDeviceIDs(word p, word type, unsigned n, void **to, unsigned *count) {
  if (is("no device")) return -1;
  if (count) *count = 1;
  if (to && n) to[0] = (void *)0x20;
  return is("device list fails") && n ? -2 : 0;
}

int clGetDeviceInfo(word d, unsigned q, size_t n, void *to, size_t *size) {
  uint64_t v = 1;
  switch (q) {
  case 0x1000: v = 4; break;                                // a GPU
  case 0x1002: v = 8; break;                                // compute units
  case 0x1004: v = is("small groups") ? 16 : 1024; break;   // largest group
  case 0x1010: v = 2ull << 30; break;                       // largest allocation
  case 0x101F: v = 8ull << 30; break;                       // memory
  case 0x1026: if (is("endianness fails")) return -30; break;
  case 0x1035: case 0x1053: v = 0; break;                   // unified memory, SVM
  case 0x102B: case 0x102C: case 0x102D: case 0x102F:
    return is("control codes") ? copy("\x1b[31mred\x07\xff\nline", 16, to, n, size) : copy("Broken GPU", 11, to, n, size);
  }
  if (size) *size = 8;
  if (to) memcpy(to, &v, n < 8 ? n : 8);
  return 0;
}

// made is a handle, or a status and none where the mode says that the call fails.
static word made(const char *mode, int *status) {
  if (status) *status = is(mode) ? -6 : 0;
  return is(mode) ? 0 : 0x30;
}

word clCreateContext(word a, word b, word c, word d, word e, int *status) { return made("no context", status); }
word clCreateCommandQueue(word a, word b, word c, int *status) { return made("no queue", status); }
word clCreateBuffer(word a, word b, word c, word d, int *status) { return made("no buffer", status); }
word clEnqueueMapBuffer(word a, word b, word c, word d, word e, word f, word g, word h, word i, int *status) {
  if (status) *status = is("maps nothing") ? 0 : -6;
  return 0;
}
word clCreateProgramWithSource(word a, word b, word c, word d, int *status) { return made("", status); }
word clCreateProgramWithBinary(word a, word b, word c, word d, word e, word f, int *status) { return made("", status); }
word clCreateKernel(word a, word b, int *status) { return made("", status); }
int clBuildProgram(word p) { return is("no build") ? -11 : 0; }
int clGetProgramBuildInfo(word p, word d, word q, size_t n, char *to, size_t *size) {
  return copy("kernels.cl:12:3: error: broken", 31, to, n, size);
}
int clGetProgramInfo(word p) { return -30; }

#define OK(name) int name(word a) { return 0; }
OK(clReleaseContext) OK(clReleaseCommandQueue) OK(clReleaseMemObject) OK(clReleaseProgram) OK(clReleaseKernel)
OK(clReleaseEvent) OK(clEnqueueReadBuffer) OK(clEnqueueWriteBuffer) OK(clEnqueueFillBuffer) OK(clEnqueueCopyBuffer)
OK(clEnqueueUnmapMemObject) OK(clSetKernelArg) OK(clEnqueueNDRangeKernel) OK(clEnqueueMarkerWithWaitList)
OK(clEnqueueBarrierWithWaitList) OK(clFlush) OK(clFinish) OK(clWaitForEvents) OK(clGetEventProfilingInfo)
