#include "forwarder.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "connection.h"

enum { CONNECTIONS_MAX = 1024, EVENTS_MAX = 64, OTHER_FILES = 32, RETRY_MS = 10 };

struct forwarder {
  int epoll;
  struct listener listeners[FORWARDS_MAX];
  int listener_count;
  int connection_count;
  int connections_max;
  /** An event of the same round may still name them. */
  struct connection *closed;
};

/** A connected socket, or -1 with errno. A server whose queue is full answers EAGAIN. */
static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static int accept_client(int listener_fd) {
  int on = 1;
  int fd = accept4(listener_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  // What one side sends leaves for the other at once.
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

static void end_connection(struct forwarder *forwarder, struct connection *connection, bool is_broken) {
  close_connection(connection, is_broken);
  connection->next_closed = forwarder->closed;
  forwarder->closed = connection;
  forwarder->connection_count--;
}

static void begin_connection(struct forwarder *forwarder, int client_fd, int server_fd) {
  struct connection *connection = create_connection(client_fd, server_fd);
  if (connection == NULL) {
    close(client_fd);
    close(server_fd);
    return;
  }
  forwarder->connection_count++;
  if (!watch_connection(forwarder->epoll, connection)) end_connection(forwarder, connection, true);
}

static bool is_lack_of_room(int error) {
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

// The server is asked first: while it has no room, clients wait in the queue of the port.
static void accept_connection(struct forwarder *forwarder, struct listener *listener) {
  if (forwarder->connection_count >= forwarder->connections_max) return;
  int server_fd = connect_to(listener->socket_path);
  listener->is_waiting = server_fd < 0 && is_lack_of_room(errno);
  if (listener->is_waiting) return;
  int client_fd = accept_client(listener->watched.fd);
  if (client_fd >= 0 && server_fd >= 0) return begin_connection(forwarder, client_fd, server_fd);
  listener->is_waiting = client_fd < 0;
  if (client_fd >= 0) close(client_fd);
  if (server_fd >= 0) close(server_fd);
}

static void serve_connection(struct forwarder *forwarder, struct end *end) {
  struct connection *connection = end->connection;
  if (connection->is_closed) return;
  bool is_whole = serve_end(end) && watch_connection(forwarder->epoll, connection);
  if (!is_whole || is_complete(connection)) end_connection(forwarder, connection, !is_whole);
}

static void free_closed(struct forwarder *forwarder) {
  while (forwarder->closed != NULL) {
    struct connection *next = forwarder->closed->next_closed;
    free(forwarder->closed);
    forwarder->closed = next;
  }
}

/** How long to wait for events: for ever, unless a listener is to be tried again. */
static int watch_listeners(struct forwarder *forwarder) {
  int timeout_ms = -1;
  bool has_room = forwarder->connection_count < forwarder->connections_max;
  for (int index = 0; index < forwarder->listener_count; index++) {
    struct listener *listener = &forwarder->listeners[index];
    bool is_watched = watch(forwarder->epoll, &listener->watched, has_room && !listener->is_waiting ? EPOLLIN : 0);
    if (listener->is_waiting || !is_watched) timeout_ms = RETRY_MS;
    listener->is_waiting = false;
  }
  return timeout_ms;
}

static void run_forwarder(struct forwarder *forwarder) {
  struct epoll_event events[EVENTS_MAX];
  for (;;) {
    int count = epoll_wait(forwarder->epoll, events, EVENTS_MAX, watch_listeners(forwarder));
    for (int index = 0; index < count; index++) {
      struct watched *watched = events[index].data.ptr;
      if (watched->kind == LISTENER) accept_connection(forwarder, (struct listener *)watched);
      else serve_connection(forwarder, (struct end *)watched);
    }
    free_closed(forwarder);
  }
}

/** As many connections as there may be files for, two each. */
static int allow_connections(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) < 0) return 1;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= OTHER_FILES + 2 * CONNECTIONS_MAX) return CONNECTIONS_MAX;
  return files.rlim_cur <= OTHER_FILES + 2 ? 1 : (int)(files.rlim_cur - OTHER_FILES) / 2;
}

pid_t start_forwarder(const struct listener *listeners, int count, int status_fd) {
  pid_t process = fork();
  if (process != 0) return process;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  // The program's pipes end when the program closes them.
  for (int fd = 0; fd < 3; fd++) close(fd);
  close(status_fd);
  static struct forwarder forwarder;
  forwarder.epoll = epoll_create1(EPOLL_CLOEXEC);
  forwarder.connections_max = allow_connections();
  forwarder.listener_count = count;
  memcpy(forwarder.listeners, listeners, sizeof *listeners * (size_t)count);
  run_forwarder(&forwarder);
  _exit(1);
}
