/* A stand-in for NVIDIA's libnvrtc, for the stand-in of its driver: it compiles kernels for the host
 * into a library, by scripts/cuda-standin.sh --kernels, and returns the library's name as the binary.
 * TOTEMGO_STANDIN_ARCH=N is the only architecture it knows (60). It refuses options that NVRTC does
 * not have. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { OK = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_OPTION = 5, COMPILATION = 6 };

struct program {
  char *source, *log;
  char image[4200];
};

static char *contents(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  if (f && text) text[fread(text, 1, (1 << 20) - 1, f)] = 0;
  if (f) fclose(f);
  return text;
}

int nvrtcCreateProgram(struct program **to, const char *source, const char *name, int n, const char **headers, const char **names) {
  (void)name, (void)headers, (void)names;
  if (n) return INVALID_INPUT;
  struct program *p = calloc(1, sizeof *p);
  if (!p || !(p->source = strdup(source))) return OUT_OF_MEMORY;
  return *to = p, OK;
}

int nvrtcDestroyProgram(struct program **p) {
  free((*p)->source), free((*p)->log), free(*p);
  return *p = 0, OK;
}

int nvrtcCompileProgram(struct program *p, int n, const char **options) {
  char folder[] = "/tmp/totemgo-standin-XXXXXX", path[3][200], *args[70] = {SCRIPT, "--kernels", path[0], path[1]};
  int count = 4;
  if (!mkdtemp(folder) || n > 60) return OUT_OF_MEMORY;
  snprintf(path[0], 200, "%s/source", folder), snprintf(path[1], 200, "%s/kernels.so", folder), snprintf(path[2], 200, "%s/log", folder);
  for (int i = 0; i < n; i++)
    if (!strncmp(options[i], "-D", 2)) args[count++] = (char *)options[i];
    else if (strncmp(options[i], "-arch=", 6) && strcmp(options[i], "-fmad=false")) return INVALID_OPTION;
  FILE *f = fopen(path[0], "w");
  if (!f || fputs(p->source, f) < 0 || fclose(f)) return OUT_OF_MEMORY;
  posix_spawn_file_actions_t to;
  posix_spawn_file_actions_init(&to);
  posix_spawn_file_actions_addopen(&to, 1, path[2], O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&to, 1, 2);
  pid_t child;
  int status = 1;
  if (!posix_spawn(&child, SCRIPT, &to, 0, args, environ)) waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&to);
  p->log = contents(path[2]);
  if (status) return COMPILATION;
  snprintf(p->image, sizeof p->image, "standin %s\n", path[1]);
  return OK;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *n) { return *n = p->log ? strlen(p->log) + 1 : 1, OK; }
int nvrtcGetProgramLog(struct program *p, char *to) { return strcpy(to, p->log ? p->log : ""), OK; }
int nvrtcGetCUBINSize(struct program *p, size_t *n) { return *n = strlen(p->image) + 1, OK; }
int nvrtcGetCUBIN(struct program *p, char *to) { return strcpy(to, p->image), OK; }
int nvrtcGetPTXSize(struct program *p, size_t *n) { return nvrtcGetCUBINSize(p, n); }
int nvrtcGetPTX(struct program *p, char *to) { return nvrtcGetCUBIN(p, to); }
int nvrtcGetNumSupportedArchs(int *n) { return *n = 1, OK; }
int nvrtcGetSupportedArchs(int *to) {
  const char *arch = getenv("TOTEMGO_STANDIN_ARCH");
  return *to = arch ? atoi(arch) : 60, OK;
}
const char *nvrtcGetErrorString(int code) { return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
