/*
 * A controller's loop at 1 kHz, and how long its model takes: a histogram of the time of single calls, then of the delay with which the
 * loop wakes up. On Linux: cc loop.c $(pkg-config --cflags --libs dalembert); ./a.out ROBOT [CALLS [CYCLES]]
 *
 * As a real-time program does, it locks its memory and asks for a real-time priority; where the system refuses, it says so and goes on.
 */
#define _GNU_SOURCE
#include "dalembert.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_INPUTS = 3 * DALEMBERT_MOST_JOINTS, BUCKETS = 48 };

/* Bucket k has what is below 2^(k/2) · 16 ns. */
typedef struct histogram {
    long counts[BUCKETS];
    double most;
} histogram;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void note(histogram *h, double ns) {
    double limit = 16;
    int k = 0;
    while (k < BUCKETS - 1 && ns >= limit) {
        limit *= k % 2 ? 4.0 / 3.0 : 1.5;
        k++;
    }
    h->counts[k]++;
    h->most = ns > h->most ? ns : h->most;
}

static void print(const char *what, const histogram *h, long all) {
    double limit = 16;
    long below = 0;
    int k;
    printf("%s, %ld times\n", what, all);
    for (k = 0; k < BUCKETS; k++) {
        below += h->counts[k];
        if (h->counts[k] > 0) {
            printf("  below %10.3f us: %10ld, with those above %12.6f %%\n", limit / 1000, h->counts[k],
                   100 * (double)below / (double)all);
        }
        limit *= k % 2 ? 4.0 / 3.0 : 1.5;
    }
    printf("  most %.3f us\n", h->most / 1000);
}

/* A motion that is somewhere else at every step. */
static void reference(double *state, size_t joints, double t) {
    size_t i;
    for (i = 0; i < joints; i++) {
        const double phase = t - 2 * (double)(long)(t / 2);
        const double s = phase < 1 ? phase : 2 - phase;
        state[i] = 0.3 + 0.2 * s * s * (3 - 2 * s);
        state[joints + i] = 0.2 * 6 * s * (1 - s) * (phase < 1 ? 1 : -1);
        state[2 * joints + i] = 0.2 * 6 * (1 - 2 * s);
    }
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "puma560";
    const long calls = count > 2 ? atol(arguments[2]) : 10000000, cycles = count > 3 ? atol(arguments[3]) : 10000;
    double state[MOST_INPUTS], tau[DALEMBERT_MOST_JOINTS], empty = 1e9;
    histogram call = {{0}, 0}, wake = {{0}, 0};
    dalembert_robot *robot = NULL;
    dalembert_program *program = NULL;
    struct sched_param priority = {80};
    struct timespec next;
    size_t joints;
    long k;

    if (dalembert_open(name, NULL, &robot) != DALEMBERT_OK ||
        dalembert_compile(robot, "torque", 1, &program) != DALEMBERT_OK) {
        fprintf(stderr, "%s: %s\n", name, dalembert_message());
        return 1;
    }
    if (strncmp(dalembert_program_signature(program), "q[", 2) != 0) {
        fprintf(stderr, "%s: its torque does not come from its joints\n", name);
        return 1;
    }
    joints = dalembert_joints(robot);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fprintf(stderr, "note: memory is not locked\n");
    }
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        fprintf(stderr, "note: no real-time priority\n");
    }
    for (k = 0; k < 1000; k++) {
        const double start = now(), taken = now() - start;
        empty = taken < empty ? taken : empty;
    }
    for (k = 0; k < calls; k++) {
        double start;
        reference(state, joints, 1e-3 * (double)k);
        start = now();
        dalembert_run(program, state, tau);
        note(&call, now() - start - empty);
    }
    print("one call of the model", &call, calls);

    clock_gettime(CLOCK_MONOTONIC, &next);
    for (k = 0; k < cycles; k++) {
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        note(&wake, now() - (1e9 * (double)next.tv_sec + (double)next.tv_nsec));
        reference(state, joints, 1e-3 * (double)k);
        if (dalembert_run(program, state, tau) != DALEMBERT_OK) { /* else a controller sends tau to its drives */
            fprintf(stderr, "%s\n", dalembert_message());
            return 1;
        }
    }
    print("delay of a wake-up every millisecond", &wake, cycles);
    dalembert_program_close(program);
    dalembert_close(robot);
    return 0;
}
