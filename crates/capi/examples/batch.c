/*
 * Many states of a robot in every layout: rows, columns, a view that runs backwards, threads, single precision, every kind of machine code
 * that the processor has. All but single precision give the same bits; its largest difference is printed.
 *
 *   batch puma560 torque 1000
 */
#include "dalembert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void good(dalembert_status status) {
    if (status != DALEMBERT_OK) {
        fprintf(stderr, "%s\n", dalembert_message());
        exit(1);
    }
}

/* Numbers that are the same everywhere, from 0.3 to 0.7. */
static double number(size_t k) { return 0.3 + 0.4 * (double)((k * 7919) % 2003) / 2003.0; }

static void *room(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) exit(2);
    return memory;
}

static size_t states, width, results;

/* Rows of results; every layout has to give the bits of the first. */
static void compare(const char *layout, const double *expected, const double *found) {
    if (memcmp(expected, found, states * results * sizeof(double)) != 0) {
        fprintf(stderr, "%s: other bits\n", layout);
        exit(1);
    }
    printf("%s: the same bits\n", layout);
}

int main(int count, char **arguments) {
    const char *machines[] = {"avx512", "avx2", "tiles"};
    dalembert_robot *robot;
    dalembert_program *program;
    double *rows, *columns, *expected, *found, *other, largest = 0, apart = 0;
    float *short_rows, *short_found;
    const double **in;
    double **out;
    ptrdiff_t *in_strides, *out_strides;
    size_t k, i;
    if (count != 4) {
        fprintf(stderr, "batch ROBOT QUANTITY STATES\n");
        return 1;
    }
    states = (size_t)strtoul(arguments[3], NULL, 10);
    good(dalembert_open(arguments[1], NULL, &robot));
    good(dalembert_compile(robot, arguments[2], 0, &program));
    width = dalembert_program_inputs(program);
    results = dalembert_program_outputs(program);
    printf("%s on %s\n", dalembert_program_signature(program), dalembert_program_machine(program));
    rows = (double *)room(states * width, sizeof(double));
    columns = (double *)room(states * width, sizeof(double));
    expected = (double *)room(states * results, sizeof(double));
    found = (double *)room(states * results, sizeof(double));
    other = (double *)room(states * results, sizeof(double));
    short_rows = (float *)room(states * width, sizeof(float));
    short_found = (float *)room(states * results, sizeof(float));
    in = (const double **)room(width, sizeof(double *));
    out = (double **)room(results, sizeof(double *));
    in_strides = (ptrdiff_t *)room(width, sizeof(ptrdiff_t));
    out_strides = (ptrdiff_t *)room(results, sizeof(ptrdiff_t));
    for (k = 0; k < states; ++k)
        for (i = 0; i < width; ++i) {
            rows[k * width + i] = columns[i * states + k] = number(k * width + i);
            short_rows[k * width + i] = (float)rows[k * width + i];
        }

    for (k = 0; k < states; ++k) good(dalembert_run(program, rows + k * width, expected + k * results));
    good(dalembert_run_rows(program, states, rows, found));
    compare("rows", expected, found);

    for (i = 0; i < width; ++i) in[i] = columns + i * states;
    for (i = 0; i < results; ++i) out[i] = other + i * states;
    good(dalembert_run_columns(program, states, in, out));
    for (k = 0; k < states; ++k)
        for (i = 0; i < results; ++i) found[k * results + i] = other[i * states + k];
    compare("columns", expected, found);

    if (states > 0) {
        /* From the last state to the first, in and out. */
        for (i = 0; i < width; ++i) in[i] = rows + (states - 1) * width + i, in_strides[i] = -(ptrdiff_t)width;
        for (i = 0; i < results; ++i) out[i] = found + (states - 1) * results + i, out_strides[i] = -(ptrdiff_t)results;
        memset(found, 0, states * results * sizeof(double));
        good(dalembert_run_strided(program, states, in, in_strides, out, out_strides));
        compare("a view that runs backwards", expected, found);
    }

    good(dalembert_program_threads(program, 3));
    good(dalembert_run_rows(program, states, rows, found));
    compare("three threads", expected, found);

    for (i = 0; i < 3; ++i) {
        if (dalembert_program_use(program, machines[i]) != DALEMBERT_OK) {
            printf("%s\n", dalembert_message());
            continue;
        }
        good(dalembert_run_rows(program, states, rows, found));
        compare(machines[i], expected, found);
    }

    good(dalembert_run_rows_f32(program, states, short_rows, short_found));
    for (k = 0; k < states * results; ++k) {
        const double size = expected[k] < 0 ? -expected[k] : expected[k], difference = expected[k] - (double)short_found[k];
        if (size > largest) largest = size;
        if (difference > apart) apart = difference;
        if (-difference > apart) apart = -difference;
    }
    printf("single precision: %.1e of the largest result\n", largest > 0 ? apart / largest : 0.0);
    dalembert_program_close(program);
    dalembert_close(robot);
    free(rows), free(columns), free(expected), free(found), free(other), free(short_rows), free(short_found);
    free(in), free(out), free(in_strides), free(out_strides);
    return 0;
}
