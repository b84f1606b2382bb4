#pragma once

#include "arguments.h"
#include "status.h"
#include "watch.h"

/** A loopback port that is listened on. */
struct listener {
  struct watched watched;
  const char *socket_path;
  /** Nothing is accepted for a moment: the other side, or this process, had no room. */
  bool is_waiting;
};

/** Listens on the port of every forward. False, with `failure` filled, where one cannot be had. */
bool open_listeners(const struct arguments *arguments, struct listener *listeners, struct failure *failure);
