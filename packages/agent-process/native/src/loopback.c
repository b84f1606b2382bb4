#include "loopback.h"

#include <errno.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool raise_interface(int fd) {
  struct ifreq request = {.ifr_name = "lo"};
  if (ioctl(fd, SIOCGIFFLAGS, &request) < 0) return false;
  if (request.ifr_flags & IFF_UP) return true;
  request.ifr_flags |= IFF_UP;
  return ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

bool raise_loopback(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  bool is_up = raise_interface(fd);
  int error = errno;
  close(fd);
  errno = error;
  return is_up;
}
