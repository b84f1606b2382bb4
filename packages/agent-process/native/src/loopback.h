#pragma once

#include <stdbool.h>

/** Brings the loopback interface up, where it is not. False, with errno, where the kernel refuses. */
bool raise_loopback(void);
