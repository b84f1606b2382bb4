#pragma once

#include <stddef.h>

#include "watch.h"

enum { BUFFER_BYTES = 64 * 1024 };

/** One of the two sockets of a connection. */
struct end {
  struct watched watched;
  struct connection *connection;
  /** It sends nothing more. */
  bool has_ended;
  /** What the other end sent and this one has not taken yet: at most BUFFER_BYTES, NULL where there is none. */
  char *pending;
  size_t pending_from;
  size_t pending_to;
};

struct connection {
  struct end client;
  struct end server;
  bool is_closed;
  struct connection *next_closed;
};

/** A connection of two sockets that do not block, or NULL where there is no memory. It owns them from then on. */
struct connection *create_connection(int client_fd, int server_fd);

/** Watches for what can be done next. False where the kernel has no room. */
bool watch_connection(int epoll, struct connection *connection);

/** Sends what is pending for an end, and passes on what can be read from it. False where the connection is broken. */
bool serve_end(struct end *end);

/** Both ends have sent all, and it was taken. */
bool is_complete(const struct connection *connection);

/** Closes both sockets; `is_broken` resets the client's, so that what it has read does not look complete. */
void close_connection(struct connection *connection, bool is_broken);
