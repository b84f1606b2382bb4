#pragma once

/** What kept the box from running the program. */
struct failure {
  /** NULL where nothing failed. */
  const char *step;
  int error;
  /** The port that could not be listened on, else 0. */
  int port;
};

/** Writes how the program ended, `status` as waitpid gives it. */
void write_end(int status_fd, int status);

/** Writes why the program did not run. */
void write_failure(int status_fd, const struct failure *failure);
