#pragma once

#include <sys/types.h>

#include "listener.h"

/** Starts the process that passes connections on; -1, with errno, where it cannot. It ends with the box, and heeds no signal. */
pid_t start_forwarder(const struct listener *listeners, int count, int status_fd);
