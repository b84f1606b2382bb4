#include "status.h"

#include <stdio.h>
#include <sys/wait.h>

#include "names.h"

void write_end(int status_fd, int status) {
  char name[NAME_BYTES];
  if (WIFSIGNALED(status)) {
    name_signal(WTERMSIG(status), name);
    dprintf(status_fd, "{\"exitCode\":null,\"signal\":\"%s\"}\n", name);
  } else {
    dprintf(status_fd, "{\"exitCode\":%d,\"signal\":null}\n", WEXITSTATUS(status));
  }
}

void write_failure(int status_fd, const struct failure *failure) {
  char name[NAME_BYTES];
  name_errno(failure->error, name);
  if (failure->port == 0) {
    dprintf(status_fd, "{\"error\":\"%s\",\"errno\":\"%s\"}\n", failure->step, name);
  } else {
    dprintf(status_fd, "{\"error\":\"%s\",\"errno\":\"%s\",\"port\":%d}\n", failure->step, name, failure->port);
  }
}
