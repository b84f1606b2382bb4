#pragma once

#include <stdbool.h>
#include <stdint.h>

enum kind { LISTENER, CONNECTION_END };

/** A descriptor that epoll watches; the first member of what it belongs to. */
struct watched {
  enum kind kind;
  int fd;
  /** What is watched for; nothing at all where 0, so that a peer that is gone does not wake us in vain. */
  uint32_t events;
};

/** Watches for other events than before. False where the kernel has no room. */
bool watch(int epoll, struct watched *watched, uint32_t events);
