#include "arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static bool refuse(const char *option, const char *reason) {
  dprintf(2, "attache-box: %s %s\n", option, reason);
  return false;
}

// Digits alone: strtoull would also take blanks and a sign.
static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *number) {
  size_t length = strspn(text, "0123456789");
  if (length == 0 || length > 15 || text[length] != '\0') return false;
  *number = strtoull(text, NULL, 10);
  return *number >= min && *number <= max;
}

static bool read_forward(char *text, struct arguments *arguments) {
  char *path = strchr(text, '=');
  uint64_t port;
  if (path == NULL) return false;
  *path++ = '\0';
  if (!read_number(text, 1, UINT16_MAX, &port)) return false;
  if (path[0] != '/' || strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path) return false;
  if (arguments->forward_count == FORWARDS_MAX) return false;
  arguments->forwards[arguments->forward_count++] = (struct forward){.port = (uint16_t)port, .socket_path = path};
  return true;
}

static bool read_option(const char *option, char *value, struct arguments *arguments) {
  uint64_t number;
  if (strcmp(option, "--forward") == 0) return read_forward(value, arguments);
  if (strcmp(option, "--status-fd") == 0) {
    if (!read_number(value, 3, INT_MAX, &number)) return false;
    arguments->status_fd = (int)number;
    return true;
  }
  if (strcmp(option, "--grace-ms") == 0) {
    if (!read_number(value, 0, INT_MAX, &number)) return false;
    arguments->grace_ms = (int64_t)number;
    return true;
  }
  struct limits *limits = &arguments->limits;
  if (strcmp(option, "--limit-processes") == 0) return read_number(value, 1, INT_MAX, &limits->processes);
  if (strcmp(option, "--limit-files") == 0) return read_number(value, 3, INT_MAX, &limits->files);
  if (strcmp(option, "--limit-cpu-seconds") == 0) return read_number(value, 1, INT_MAX, &limits->cpu_seconds);
  return false;
}

bool read_arguments(char **argv, struct arguments *arguments) {
  *arguments = (struct arguments){.status_fd = -1, .grace_ms = -1};
  char **next = argv + 1;
  for (; *next != NULL && strcmp(*next, "--") != 0; next += 2) {
    if (next[1] == NULL) return refuse(*next, "has no value");
    if (!read_option(*next, next[1], arguments)) return refuse(*next, "is not known, or its value is not allowed");
  }
  if (arguments->status_fd < 0) return refuse("--status-fd", "is missing");
  if (arguments->grace_ms < 0) return refuse("--grace-ms", "is missing");
  if (*next == NULL || next[1] == NULL || next[1][0] != '/') return refuse("--", "is not followed by an absolute path");
  arguments->program = next + 1;
  return true;
}
