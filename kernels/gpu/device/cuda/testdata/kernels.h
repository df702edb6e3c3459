/* The kernels of one library, compiled for the host by scripts/cuda-standin.sh. */
struct kernel {
  const char *name;
  void (*call)(void **args);
  int parameters;
  int barriers; /* its lanes meet at barriers; without them they run one after the other */
  /* runs all groups; returns a status of cuda.h */
  int (*run)(const struct kernel *k, void **args, unsigned groups, unsigned lanes);
};

/* The kernels, up to one without a name. */
extern const struct kernel host_kernels[];
