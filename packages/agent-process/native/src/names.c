#include "names.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

struct named {
  int number;
  const char *name;
};

#define NAMED(constant) {constant, #constant}

static const struct named SIGNALS[] = {
    NAMED(SIGHUP), NAMED(SIGINT), NAMED(SIGQUIT), NAMED(SIGILL), NAMED(SIGTRAP), NAMED(SIGABRT), NAMED(SIGBUS),
    NAMED(SIGFPE), NAMED(SIGKILL), NAMED(SIGUSR1), NAMED(SIGSEGV), NAMED(SIGUSR2), NAMED(SIGPIPE), NAMED(SIGALRM),
    NAMED(SIGTERM), NAMED(SIGCHLD), NAMED(SIGCONT), NAMED(SIGSTOP), NAMED(SIGTSTP), NAMED(SIGTTIN), NAMED(SIGTTOU),
    NAMED(SIGURG), NAMED(SIGXCPU), NAMED(SIGXFSZ), NAMED(SIGVTALRM), NAMED(SIGPROF), NAMED(SIGWINCH), NAMED(SIGIO),
    NAMED(SIGPWR), NAMED(SIGSYS), NAMED(SIGSTKFLT),
};

static const struct named ERRORS[] = {
    NAMED(E2BIG), NAMED(EACCES), NAMED(EADDRINUSE), NAMED(EADDRNOTAVAIL), NAMED(EAFNOSUPPORT), NAMED(EAGAIN),
    NAMED(EBADF), NAMED(EFAULT), NAMED(EINVAL), NAMED(EIO), NAMED(EISDIR), NAMED(ELIBBAD), NAMED(ELOOP),
    NAMED(EMFILE), NAMED(ENAMETOOLONG), NAMED(ENFILE), NAMED(ENOBUFS), NAMED(ENODEV), NAMED(ENOENT), NAMED(ENOEXEC),
    NAMED(ENOMEM), NAMED(ENOSYS), NAMED(ENOTDIR), NAMED(EPERM), NAMED(ETXTBSY),
};

static void name_number(const struct named *known, size_t count, const char *prefix, int number, char *name) {
  for (size_t index = 0; index < count; index++) {
    if (known[index].number != number) continue;
    snprintf(name, NAME_BYTES, "%s", known[index].name);
    return;
  }
  snprintf(name, NAME_BYTES, "%s%d", prefix, number);
}

void name_signal(int number, char name[NAME_BYTES]) {
  name_number(SIGNALS, sizeof SIGNALS / sizeof *SIGNALS, "SIG", number, name);
}

void name_errno(int number, char name[NAME_BYTES]) {
  name_number(ERRORS, sizeof ERRORS / sizeof *ERRORS, "E", number, name);
}
