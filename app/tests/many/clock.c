/* A machine whose clock is wrong by as many seconds as a file says. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int done = (int)syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("QUADRILLE_CLOCK");
    if (clock == CLOCK_REALTIME && path) {
        FILE *file = fopen(path, "r");
        long wrong = 0;
        if (file) {
            if (fscanf(file, "%ld", &wrong) == 1)
                time->tv_sec += wrong;
            fclose(file);
        }
    }
    return done;
}
