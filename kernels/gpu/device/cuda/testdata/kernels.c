/* The kernels of kernels.inc and what runs them: one group at a time, whose lanes are coroutines
 * that take turns from barrier to barrier. kernels.inc is the kernel source, a caller for each
 * kernel, and their table. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "kernels.h"

static int run(const struct kernel *k, void **args, unsigned groups, unsigned lanes);

#include "kernels.inc"

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719 };

#define STACK 65536
static jmp_buf turn, lanes_at[WG];
static char made[WG], ended[WG];
static const struct kernel *running;
static void **running_args;

/* A context is made once a lane, with ucontext; afterwards a switch is a jump, which
 * costs no system call. */
__attribute__((noinline)) static void host_barrier(void) {
  if (!_setjmp(lanes_at[host_lane])) _longjmp(turn, 1);
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
  if (made[host_lane]) _longjmp(lanes_at[host_lane], 1);
  made[host_lane] = 1;
  getcontext(&start);
  start.uc_stack.ss_sp = stack, start.uc_stack.ss_size = STACK, start.uc_link = 0;
  makecontext(&start, lane, 0);
  setcontext(&start);
}

static int run_group(void) {
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

static int run(const struct kernel *k, void **args, unsigned groups, unsigned lanes) {
  int r = OK;
  if (lanes != WG) return INVALID_VALUE;
  running = k, running_args = args, host_groups = groups;
  for (host_group = 0; host_group < groups && !r; host_group++) r = run_group();
  return r;
}
