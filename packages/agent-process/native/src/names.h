#pragma once

enum { NAME_BYTES = 16 };

/** The name of a signal, such as SIGTERM; SIG34 where it has none. */
void name_signal(int number, char name[NAME_BYTES]);

/** The name of an error, such as ENOENT; E95 where it is none of those that the calls of this program give. */
void name_errno(int number, char name[NAME_BYTES]);
