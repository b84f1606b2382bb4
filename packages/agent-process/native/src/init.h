#pragma once

#include <sys/types.h>

#include "listener.h"

/** The first process of a sandbox and what it has started. */
struct box {
  const struct arguments *arguments;
  struct listener listeners[FORWARDS_MAX];
  /** Process ids; not above 0 where there is none. */
  pid_t forwarder;
  pid_t program;
  /** When all is killed, by the monotonic clock; -1 where that is not decided. */
  int64_t kill_at_ms;
  bool is_killed;
};

/** Blocks the signals that `run_box` takes one after the other. */
void block_signals(void);

/** Starts the forwarder where one is needed and none runs. False, with errno, where it cannot. */
bool keep_forwarder(struct box *box);

/** Passes signals on and reaps until the program has ended; answers its status as waitpid gives it. */
int run_box(struct box *box);
