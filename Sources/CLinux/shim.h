// Headers that Glibc's module map does not include: epoll, eventfd, inotify, accept4 and statx.
#pragma once
// Without _GNU_SOURCE, like Glibc's own module; otherwise the structs of the two modules would differ.
#include <errno.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/// `accept4` for non-blocking, close-on-exec sockets; -1 with `errno` on failure.
int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int dragoman_accept4(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// `epoll_ctl` with a 64-bit registration as the event's data.
static inline int dragoman_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t registration) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = registration;
  return epoll_ctl(epoll, operation, fd, &event);
}

static inline uint32_t dragoman_epoll_events(const struct epoll_event *events, int index) { return events[index].events; }
static inline uint64_t dragoman_epoll_registration(const struct epoll_event *events, int index) { return events[index].data.u64; }

#include <sys/prctl.h>

// prctl is variadic, so Swift cannot call it.
/// Gives the calling thread a name of at most 15 bytes.
static inline int dragoman_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
static inline int dragoman_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int dragoman_may_be_dumped(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/// Asks for what the mask names (STATX_INO…); -1 with `errno` on failure.
int statx(int, const char *__restrict, int, unsigned int, struct statx *__restrict);
