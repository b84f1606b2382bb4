#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"

static void reset_signals(void) {
  sigset_t none;
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// What it answers is the step that failed; errno says why.
static const char *become_program(const struct arguments *arguments) {
  int own_processes = arguments->forward_count > 0 ? 2 : 1;
  setsid();
  reset_signals();
  if (!set_limits(&arguments->limits, own_processes)) return "limits";
  execv(arguments->program[0], arguments->program);
  return EXEC_STEP;
}

// The pipe closes without a word when the program takes over. Until then the child's addresses, such as that of a step's name, hold here.
pid_t start_program(const struct arguments *arguments, struct failure *failure) {
  int report[2];
  *failure = (struct failure){.step = "fork"};
  pid_t program = pipe2(report, O_CLOEXEC) < 0 ? -1 : fork();
  if (program < 0) {
    failure->error = errno;
    return -1;
  }
  if (program == 0) {
    failure->step = become_program(arguments);
    failure->error = errno;
    write(report[1], failure, sizeof *failure);
    _exit(0);
  }
  close(report[1]);
  ssize_t size = read(report[0], failure, sizeof *failure);
  close(report[0]);
  return size == 0 ? program : -1;
}
