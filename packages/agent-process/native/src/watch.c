#include "watch.h"

#include <sys/epoll.h>

bool watch(int epoll, struct watched *watched, uint32_t events) {
  if (events == watched->events) return true;
  struct epoll_event event = {.events = events, .data.ptr = watched};
  int operation = watched->events == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll, operation, watched->fd, &event) < 0) return false;
  watched->events = events;
  return true;
}
