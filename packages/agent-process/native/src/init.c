#include "init.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "forwarder.h"

enum { FOREVER_MS = 24 * 60 * 60 * 1000 };

static sigset_t handled_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

void block_signals(void) {
  sigset_t signals = handled_signals();
  sigprocmask(SIG_SETMASK, &signals, NULL);
  // A reader of the status that has gone away ends nothing.
  signal(SIGPIPE, SIG_IGN);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void kill_when_due(struct box *box) {
  if (box->is_killed || box->kill_at_ms < 0 || now_ms() < box->kill_at_ms) return;
  box->is_killed = true;
  kill(-1, SIGKILL);
}

/** How long nothing needs to be done unless a signal comes. */
static int64_t idle_ms(const struct box *box) {
  if (box->is_killed || box->kill_at_ms < 0) return FOREVER_MS;
  int64_t rest_ms = box->kill_at_ms - now_ms();
  return rest_ms < 0 ? 0 : rest_ms;
}

/** Waits at most so long; 0 where no signal came. */
static int take_signal(siginfo_t *info, int64_t timeout_ms) {
  sigset_t signals = handled_signals();
  struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000};
  int number = sigtimedwait(&signals, info, &timeout);
  return number < 0 ? 0 : number;
}

// A sender outside has no process id here. What comes from inside is not heeded: a program does not end its own box by accident.
static bool is_from_outside(const siginfo_t *info) {
  return info->si_code == SI_KERNEL || (info->si_code == SI_USER && info->si_pid == 0);
}

static void heed_signal(struct box *box, int64_t timeout_ms) {
  siginfo_t info;
  int number = take_signal(&info, timeout_ms);
  if (number == 0 || number == SIGCHLD || !is_from_outside(&info)) return;
  kill(-box->program, number);
  if (box->kill_at_ms < 0) box->kill_at_ms = now_ms() + box->arguments->grace_ms;
}

bool keep_forwarder(struct box *box) {
  if (box->arguments->forward_count == 0 || box->forwarder > 0 || box->is_killed) return true;
  box->forwarder = start_forwarder(box->listeners, box->arguments->forward_count, box->arguments->status_fd);
  return box->forwarder > 0;
}

// One orphan and one signal at a time, so that a flood of either does not hold up the other.
int run_box(struct box *box) {
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == box->program) return status;
    // The program may kill it, or the kernel for want of memory.
    if (ended > 0 && ended == box->forwarder) box->forwarder = 0;
    keep_forwarder(box);
    heed_signal(box, ended > 0 ? 0 : idle_ms(box));
    kill_when_due(box);
  }
}
