/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into a process, makes its n-th call of a kind on files below a folder fail. By environment variables:
 *   FAULT_FOLDER   absolute path; calls on other files are left alone and not counted
 *   FAULT_CALL     open, write, fsync, rename, unlink, flock, or any
 *   FAULT_NTH      from 1; 0: only count
 *   FAULT_KIND     a number: errno of the failure; "short": a write of half the bytes; "alter": a write that
 *                  changes the last byte; "kill": SIGKILL before the call; "killed": SIGKILL behind it
 *   FAULT_COUNT    a file outside the folder that gets the number of calls counted, at exit
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long counted = 0;
static int kill_behind = 0;

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int below_folder(const char* path) {
  const char* folder = setting("FAULT_FOLDER");
  return *folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int fd_below_folder(int fd) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return below_folder(path);
}

/* Counts a call; whether it is the one to fail. Dies here if that is asked for. */
static int hit(const char* call) {
  const char* wanted = setting("FAULT_CALL");
  if (strcmp(wanted, "any") != 0 && strcmp(wanted, call) != 0) return 0;
  if (++counted != atol(setting("FAULT_NTH"))) return 0;
  if (strcmp(setting("FAULT_KIND"), "kill") == 0) raise(SIGKILL);
  kill_behind = strcmp(setting("FAULT_KIND"), "killed") == 0;
  return 1;
}

/* For a call that was hit: whether it fails with errno, else it is made. */
static int fails(void) {
  const int code = atoi(setting("FAULT_KIND"));
  if (code != 0) errno = code;
  return code != 0;
}

static void behind(void) {
  if (kill_behind) raise(SIGKILL);
}

static void* next(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

__attribute__((destructor)) static void report(void) {
  const char* path = setting("FAULT_COUNT");
  FILE* file = *path ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", counted);
  fclose(file);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (below_folder(path) && hit("open") && fails()) return -1;
  const int fd = ((int (*)(const char*, int, ...))next("open"))(path, flags, mode);
  behind();
  return fd;
}

static ssize_t real_pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  return ((ssize_t(*)(int, const void*, size_t, off_t))next("pwrite"))(fd, bytes, count, offset);
}

static ssize_t write_altered(int fd, const void* bytes, size_t count, off_t offset) {
  unsigned char* altered = malloc(count);
  if (altered == NULL) return -1;
  memcpy(altered, bytes, count);
  altered[count - 1] ^= 1;
  const ssize_t written = real_pwrite(fd, altered, count, offset);
  free(altered);
  return written;
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  if (fd_below_folder(fd) && hit("write")) {
    if (fails()) return -1;
    if (strcmp(setting("FAULT_KIND"), "alter") == 0) return write_altered(fd, bytes, count, offset);
    if (strcmp(setting("FAULT_KIND"), "short") == 0) count = (count + 1) / 2;
  }
  const ssize_t written = real_pwrite(fd, bytes, count, offset);
  behind();
  return written;
}

int fsync(int fd) {
  if (fd_below_folder(fd) && hit("fsync") && fails()) return -1;
  const int result = ((int (*)(int))next("fsync"))(fd);
  behind();
  return result;
}

int rename(const char* from, const char* to) {
  if (below_folder(from) && hit("rename") && fails()) return -1;
  const int result = ((int (*)(const char*, const char*))next("rename"))(from, to);
  behind();
  return result;
}

int unlink(const char* path) {
  if (below_folder(path) && hit("unlink") && fails()) return -1;
  const int result = ((int (*)(const char*))next("unlink"))(path);
  behind();
  return result;
}

int flock(int fd, int operation) {
  if (fd_below_folder(fd) && hit("flock") && fails()) return -1;
  return ((int (*)(int, int))next("flock"))(fd, operation);
}
