#pragma once

#include "arguments.h"

/**
 * Limits this process and all that it starts. `own_processes` are those of the box, which the kernel counts with the program's.
 * False, with errno, where the kernel refuses.
 */
bool set_limits(const struct limits *limits, int own_processes);
