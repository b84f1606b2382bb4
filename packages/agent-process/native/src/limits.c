#include "limits.h"

#include <sys/resource.h>

// A program that catches SIGXCPU is killed after this much more.
enum { CPU_REPRIEVE_SECONDS = 1 };

static rlim_t lower_of(rlim_t one, rlim_t other) { return one < other ? one : other; }

// A stricter limit that is there already stays.
static bool lower_limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) < 0) return false;
  limit.rlim_max = lower_of(hard, limit.rlim_max);
  limit.rlim_cur = lower_of(soft, limit.rlim_max);
  return setrlimit(resource, &limit) == 0;
}

bool set_limits(const struct limits *limits, int own_processes) {
  rlim_t processes = limits->processes + (rlim_t)own_processes;
  rlim_t cpu_seconds = limits->cpu_seconds;
  if (limits->processes > 0 && !lower_limit(RLIMIT_NPROC, processes, processes)) return false;
  if (limits->files > 0 && !lower_limit(RLIMIT_NOFILE, limits->files, limits->files)) return false;
  return cpu_seconds == 0 || lower_limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + CPU_REPRIEVE_SECONDS);
}
