/* Faults on the files of a store, as a system gives them. Loaded into the server with LD_PRELOAD.
 *
 * The file named by QUADRILLE_FAULTS says what fails: `GENERATION CLASSES ERROR SKIP COUNT`. Of the calls of
 * these classes, counted since the generation has changed, the first SKIP go well and the next COUNT fail.
 * Error 0 fails nothing. Every call that failed, or would have, is noted in QUADRILLE_FAULTS.met.
 *
 * Classes: w write, s sync, t truncate or allocate, m map, l lock, o open.
 *
 * If QUADRILLE_SYNCED names a folder, each file of the store is copied there whenever a sync of it has succeeded: this
 * is what a power cut leaves at the worst.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static ssize_t real_write(int fd, const void *bytes, size_t n)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    return real(fd, bytes, n);
}

static int real_open(const char *path, int flags, mode_t mode)
{
    REAL(int, "open", const char *, int, ...);
    return real(path, flags, mode);
}

/* The database, its log and its index; neither a lock nor a journal of another program. */
static int is_store(const char *path)
{
    static const char *ends[] = {".db", ".db-wal", ".db-shm", ".db-journal"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t m = strlen(ends[i]);
        if (n > m && strcmp(path + n - m, ends[i]) == 0) return 1;
    }
    return 0;
}

/* The error that a call is to give, or 0. */
static int fault_at(char class, const char *path)
{
    static int generation, met;
    const char *control = getenv("QUADRILLE_FAULTS");
    if (!control || !is_store(path)) return 0;
    int error = 0;
    pthread_mutex_lock(&one);
    char text[128] = "", classes[16] = "", name[4096];
    int now = 0, wanted = 0, skip = 0, count = 0;
    int fd = real_open(control, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
        close(fd);
    }
    if (sscanf(text, "%d %15s %d %d %d", &now, classes, &wanted, &skip, &count) == 5) {
        if (now != generation) { generation = now; met = 0; }
        if (strchr(classes, class)) {
            met++;
            if (met > skip && met - skip <= count) {
                error = wanted;
                snprintf(name, sizeof name, "%s.met", control);
                fd = real_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
                if (fd >= 0) {
                    const char *file = strrchr(path, '/');
                    int n = snprintf(name, sizeof name, "%d %c %s\n", now, class, file ? file + 1 : path);
                    if (real_write(fd, name, (size_t)n) < 0) error = wanted;
                    close(fd);
                }
            }
        }
    }
    pthread_mutex_unlock(&one);
    return error;
}

static int fault(char class, int fd)
{
    char link[64], path[4096];
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    int error = 0;
    if (n > 0) {
        path[n] = 0;
        error = fault_at(class, path);
    }
    errno = before;
    return error;
}

/* A disk that gets full takes the beginning first. */
static size_t taken(int error, size_t n)
{
    return error == ENOSPC ? n / 2 : 0;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    int error = fault('w', fd);
    if (!error) return real_write(fd, bytes, n);
    if (taken(error, n)) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        if (real_write(fd, bytes, taken(error, n)) < 0) errno = error;
        lseek(fd, at, SEEK_SET);
    }
    errno = error;
    return -1;
}

#define PWRITE(name) \
    ssize_t name(int fd, const void *bytes, size_t n, off_t at) \
    { \
        REAL(ssize_t, #name, int, const void *, size_t, off_t); \
        int error = fault('w', fd); \
        if (!error) return real(fd, bytes, n, at); \
        if (taken(error, n) && real(fd, bytes, taken(error, n), at) < 0) errno = error; \
        errno = error; \
        return -1; \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

/* Copies a file of the store that has been synced. It is read through its own descriptor: closing another one would
 * release the locks of this process. */
static void keep(int fd)
{
    const char *folder = getenv("QUADRILLE_SYNCED");
    char link[64], path[4096], kept[4096], fresh[4096], bytes[65536];
    if (!folder) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = 0;
    if (!is_store(path)) return;
    pthread_mutex_lock(&one);
    if (snprintf(kept, sizeof kept, "%s/%s", folder, strrchr(path, '/') + 1) < (int)sizeof kept
        && snprintf(fresh, sizeof fresh, "%s/fresh", folder) < (int)sizeof fresh) {
        int copy = real_open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        for (off_t at = 0; (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
            if (real_write(copy, bytes, (size_t)n) != n) abort();
        if (copy < 0 || close(copy) || rename(fresh, kept)) abort();
    }
    pthread_mutex_unlock(&one);
}

#define SYNC(name) \
    int name(int fd) \
    { \
        REAL(int, #name, int); \
        int error = fault('s', fd); \
        if (!error) { \
            int done = real(fd); \
            if (!done) keep(fd); \
            return done; \
        } \
        errno = error; \
        return -1; \
    }
SYNC(fsync)
SYNC(fdatasync)

#define SIZE(name) \
    int name(int fd, off_t size) \
    { \
        REAL(int, #name, int, off_t); \
        int error = fault('t', fd); \
        if (!error) return real(fd, size); \
        errno = error; \
        return -1; \
    }
SIZE(ftruncate)
SIZE(ftruncate64)

#define ALLOCATE(name) \
    int name(int fd, off_t at, off_t size) \
    { \
        REAL(int, #name, int, off_t, off_t); \
        int error = fault('t', fd); \
        return error ? error : real(fd, at, size); \
    }
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

#define MAP(name) \
    void *name(void *at, size_t size, int rights, int flags, int fd, off_t from) \
    { \
        REAL(void *, #name, void *, size_t, int, int, int, off_t); \
        int error = fd < 0 ? 0 : fault('m', fd); \
        if (!error) return real(at, size, rights, flags, fd, from); \
        errno = error; \
        return MAP_FAILED; \
    }
MAP(mmap)
MAP(mmap64)

#define CONTROL(name) \
    int name(int fd, int what, ...) \
    { \
        REAL(int, #name, int, int, ...); \
        va_list rest; \
        va_start(rest, what); \
        void *with = va_arg(rest, void *); \
        va_end(rest); \
        int locks = what == F_SETLK || what == F_SETLKW; \
        int error = locks && ((struct flock *)with)->l_type != F_UNLCK ? fault('l', fd) : 0; \
        if (!error) return real(fd, what, with); \
        errno = error; \
        return -1; \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        REAL(int, #name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int error = fault_at('o', path); \
        if (!error) return real(path, flags, mode); \
        errno = error; \
        return -1; \
    }
OPEN(open)
OPEN(open64)
