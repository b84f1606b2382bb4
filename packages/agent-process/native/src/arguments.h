#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FORWARDS_MAX = 16 };

/** A loopback port whose connections go to a unix socket. */
struct forward {
  uint16_t port;
  const char *socket_path;
};

/** Limits of the program; 0 where there is none. */
struct limits {
  uint64_t processes;
  uint64_t files;
  uint64_t cpu_seconds;
};

struct arguments {
  int status_fd;
  int64_t grace_ms;
  struct limits limits;
  struct forward forwards[FORWARDS_MAX];
  int forward_count;
  /** The program's absolute path and its arguments, ended by NULL. */
  char **program;
};

/** Reads the command line. False, with the reason on standard error, where it is not as documented in README.md. */
bool read_arguments(char **argv, struct arguments *arguments);
