#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct end *other_end(struct end *end) {
  struct connection *connection = end->connection;
  return end == &connection->client ? &connection->server : &connection->client;
}

struct connection *create_connection(int client_fd, int server_fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return NULL;
  connection->client = (struct end){.watched = {.kind = CONNECTION_END, .fd = client_fd}, .connection = connection};
  connection->server = (struct end){.watched = {.kind = CONNECTION_END, .fd = server_fd}, .connection = connection};
  return connection;
}

static bool is_readable(struct end *end) { return !end->has_ended && other_end(end)->pending == NULL; }

static bool watch_end(int epoll, struct end *end) {
  uint32_t events = (is_readable(end) ? EPOLLIN : 0) | (end->pending != NULL ? EPOLLOUT : 0);
  return watch(epoll, &end->watched, events);
}

bool watch_connection(int epoll, struct connection *connection) {
  return watch_end(epoll, &connection->client) && watch_end(epoll, &connection->server);
}

static bool is_temporary(int error) { return error == EAGAIN || error == EINTR; }

/** How many bytes the socket took; -1 where it is broken. */
static ssize_t send_some(const struct end *end, const char *bytes, size_t size) {
  ssize_t sent = send(end->watched.fd, bytes, size, MSG_NOSIGNAL);
  return sent < 0 && is_temporary(errno) ? 0 : sent;
}

static bool keep_pending(struct end *end, const char *bytes, size_t size) {
  end->pending = malloc(size);
  if (end->pending == NULL) return false;
  memcpy(end->pending, bytes, size);
  end->pending_from = 0;
  end->pending_to = size;
  return true;
}

static bool send_pending(struct end *end) {
  ssize_t sent = send_some(end, end->pending + end->pending_from, end->pending_to - end->pending_from);
  if (sent < 0) return false;
  end->pending_from += (size_t)sent;
  if (end->pending_from < end->pending_to) return true;
  free(end->pending);
  end->pending = NULL;
  return true;
}

// Once only: a connection with much to say does not keep the others waiting.
static bool pass_on(struct end *from) {
  // One for all connections: only what is not taken at once needs memory of its own.
  static char buffer[BUFFER_BYTES];
  struct end *to = other_end(from);
  ssize_t size = recv(from->watched.fd, buffer, sizeof buffer, 0);
  if (size < 0) return is_temporary(errno);
  if (size == 0) {
    from->has_ended = true;
    return shutdown(to->watched.fd, SHUT_WR) == 0;
  }
  ssize_t sent = send_some(to, buffer, (size_t)size);
  if (sent < 0) return false;
  return sent == size || keep_pending(to, buffer + sent, (size_t)(size - sent));
}

bool serve_end(struct end *end) {
  if (end->pending != NULL && !send_pending(end)) return false;
  return !is_readable(end) || pass_on(end);
}

bool is_complete(const struct connection *connection) {
  return connection->client.has_ended && connection->server.has_ended;
}

void close_connection(struct connection *connection, bool is_broken) {
  struct linger at_once = {.l_onoff = 1};
  if (is_broken) setsockopt(connection->client.watched.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(connection->client.watched.fd);
  close(connection->server.watched.fd);
  free(connection->client.pending);
  free(connection->server.pending);
  connection->is_closed = true;
}
