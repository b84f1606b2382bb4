#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "program.h"
#include "status.h"

// As env(1) and shells have it: the box itself failed, the program cannot be run, the program is not there.
enum { BOX_FAILED = 125, PROGRAM_NOT_RUNNABLE = 126, PROGRAM_MISSING = 127 };

static bool fail(struct failure *failure, const char *step) {
  *failure = (struct failure){.step = step, .error = errno};
  return false;
}

static bool close_range_of(int first, int last) {
  return first > last || syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0;
}

/** Keeps standard input, output, error and the status, which no other program gets. */
static bool close_inherited(int status_fd) {
  if (fcntl(status_fd, F_SETFD, FD_CLOEXEC) < 0) return false;
  return close_range_of(3, status_fd - 1) && close_range_of(status_fd + 1, INT_MAX);
}

static bool prepare(struct box *box, struct failure *failure) {
  // As an ordinary process it would kill its user's whole session at the end.
  errno = EPERM;
  if (getpid() != 1) return fail(failure, "not-pid-1");
  if (prctl(PR_SET_DUMPABLE, 0) < 0) return fail(failure, "not-dumpable");
  if (!close_inherited(box->arguments->status_fd)) return fail(failure, "close");
  block_signals();
  if (!open_listeners(box->arguments, box->listeners, failure)) return false;
  return keep_forwarder(box) || fail(failure, "fork");
}

static bool start(struct box *box, struct failure *failure) {
  if (!prepare(box, failure)) return false;
  box->program = start_program(box->arguments, failure);
  return box->program > 0;
}

static int exit_code_of_end(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

static int exit_code_of_failure(const struct failure *failure) {
  if (strcmp(failure->step, EXEC_STEP) != 0) return BOX_FAILED;
  return failure->error == ENOENT ? PROGRAM_MISSING : PROGRAM_NOT_RUNNABLE;
}

int main(int argc, char **argv) {
  struct arguments arguments;
  struct failure failure;
  if (argc == 0 || !read_arguments(argv, &arguments)) return BOX_FAILED;
  static struct box box;
  box = (struct box){.arguments = &arguments, .kill_at_ms = -1};
  if (!start(&box, &failure)) {
    write_failure(arguments.status_fd, &failure);
    return exit_code_of_failure(&failure);
  }
  // The program's pipes end when the program closes them.
  for (int fd = 0; fd < 3; fd++) close(fd);
  int status = run_box(&box);
  write_end(arguments.status_fd, status);
  kill(-1, SIGKILL);
  return exit_code_of_end(status);
}
