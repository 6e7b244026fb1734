/* Loaded before libc in a machine's lazaret: one cgroup file fails, as LAZARET_TEST_FAULT says in
 * the form FILE:HOW. absent: it is not there and cannot be opened; unreadable: not to be read;
 * unwritable: what is written is refused; lie: it is accepted, and nothing is done. With mkdir
 * for FILE the directories fail that it makes for its own; deadly: it is killed before the first,
 * last: after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int faulty = -1; /* the descriptor of the file, while it is open to be written */

static int is_how(const char* how) {
  const char* fault = getenv("LAZARET_TEST_FAULT");
  const char* colon = fault ? strchr(fault, ':') : NULL;
  return colon && strcmp(colon + 1, how) == 0;
}

static int is_file(const char* path) {
  const char* fault = getenv("LAZARET_TEST_FAULT");
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  return fault && strncmp(fault, name, strlen(name)) == 0 && fault[strlen(name)] == ':';
}

int openat(int directory, const char* path, int flags, ...) {
  static int (*real)(int, const char*, int, ...);
  if (!real) real = (int (*)(int, const char*, int, ...))dlsym(RTLD_NEXT, "openat");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  const int writes = (flags & O_ACCMODE) != O_RDONLY;
  if (is_file(path) && (is_how("absent") || (is_how("unreadable") && !writes))) {
    errno = EACCES;
    return -1;
  }
  const int opened = real(directory, path, flags, mode);
  if (is_file(path) && writes) faulty = opened;
  return opened;
}

int faccessat(int directory, const char* path, int mode, int flags) {
  static int (*real)(int, const char*, int, int);
  if (!real) real = (int (*)(int, const char*, int, int))dlsym(RTLD_NEXT, "faccessat");
  if (!is_file(path) || !is_how("absent")) return real(directory, path, mode, flags);
  errno = ENOENT;
  return -1;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return openat(AT_FDCWD, path, flags, mode);
}

int mkdir(const char* path, mode_t mode) {
  if (is_file("mkdir") && strstr(path, "/lazaret-")) {
    if (is_how("lie")) return 0;
    if (is_how("last")) (void)mkdirat(AT_FDCWD, path, mode);
    if (is_how("last") || is_how("deadly")) raise(SIGKILL);
    errno = EACCES;
    return -1;
  }
  return mkdirat(AT_FDCWD, path, mode);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (descriptor < 0 || descriptor != faulty) return real(descriptor, data, size);
  faulty = -1;
  if (is_how("lie")) return (ssize_t)size;
  if (!is_how("unwritable")) return real(descriptor, data, size);
  errno = EIO;
  return -1;
}
