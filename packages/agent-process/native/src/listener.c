#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loopback.h"

// As many as the kernel allows: where this queue is full, connecting takes seconds.
enum { QUEUE_MAX = 65535 };

static int listen_on(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  return listen(fd, QUEUE_MAX) < 0 ? -1 : fd;
}

bool open_listeners(const struct arguments *arguments, struct listener *listeners, struct failure *failure) {
  if (arguments->forward_count > 0 && !raise_loopback()) {
    *failure = (struct failure){.step = "loopback", .error = errno};
    return false;
  }
  for (int index = 0; index < arguments->forward_count; index++) {
    const struct forward *forward = &arguments->forwards[index];
    int fd = listen_on(forward->port);
    if (fd < 0) {
      *failure = (struct failure){.step = "listen", .error = errno, .port = forward->port};
      return false;
    }
    listeners[index] = (struct listener){.watched = {.kind = LISTENER, .fd = fd}, .socket_path = forward->socket_path};
  }
  return true;
}
