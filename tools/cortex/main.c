/* Torques of some states, and how many instructions a call takes: with `-icount shift=0` QEMU's clock counts them, one for each
 * nanosecond, and the SysTick timer runs at 25 MHz of it. On a computer (ON_HOST) only the torques. */
#include HEADER
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#ifdef WITH_FLOAT
typedef float number;
#else
typedef double number;
#endif

enum { STATES = 64 };
static number q[STATES][JOINTS], qd[STATES][JOINTS], qdd[STATES][JOINTS], tau[STATES][JOINTS];

#ifndef ON_HOST
#define SYSTICK ((volatile uint32_t *)0xe000e010)
#endif

int main(void) {
    int k, i;
    for (k = 0; k < STATES; k++) {
        for (i = 0; i < JOINTS; i++) {
            q[k][i] = (number)sin(1.0 + 1.7 * k + 2.9 * i);
            qd[k][i] = (number)(2 * cos(0.3 * k + i));
            qdd[k][i] = (number)(5 * sin(0.7 * k - i));
        }
    }
#ifndef ON_HOST
    {
        uint32_t begun, ended;
        SYSTICK[1] = 0xffffff;
        SYSTICK[2] = 0;
        SYSTICK[0] = 5;
        /* It is loaded with its first tick. */
        do {
            begun = SYSTICK[2];
        } while (begun == 0);
#else
    {
#endif
        for (k = 0; k < STATES; k++) {
            FUNCTION(q[k], qd[k], qdd[k], tau[k]);
        }
#ifndef ON_HOST
        ended = SYSTICK[2];
        printf("instructions %ld\n", (long)((begun - ended) * 40 / STATES));
#endif
    }
    for (k = 0; k < STATES; k++) {
        for (i = 0; i < JOINTS; i++) {
            printf("%.17g\n", (double)tau[k][i]);
        }
    }
    return 0;
}
