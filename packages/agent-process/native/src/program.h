#pragma once

#include <sys/types.h>

#include "arguments.h"
#include "status.h"

/** The step that fails where the program cannot be run. */
#define EXEC_STEP "exec"

/**
 * Starts the program in a session of its own, limited, with default signals. Answers its process id once it runs; -1, and `failure` is
 * filled, where it does not.
 */
pid_t start_program(const struct arguments *arguments, struct failure *failure);
