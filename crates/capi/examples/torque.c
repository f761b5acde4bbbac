/* Torques of a robot from C: cc torque.c $(pkg-config --cflags --libs dalembert) */
#include "dalembert.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, dalembert_message());
    return 1;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "puma560";
    dalembert_robot *robot = NULL;
    double q[DALEMBERT_MOST_JOINTS], qd[DALEMBERT_MOST_JOINTS], qdd[DALEMBERT_MOST_JOINTS];
    double tau[DALEMBERT_MOST_JOINTS], back[DALEMBERT_MOST_JOINTS], fast[DALEMBERT_MOST_JOINTS];
    double state[3 * DALEMBERT_MOST_JOINTS];
    dalembert_program *program = NULL;
    size_t joints, i;

    if (dalembert_open(name, NULL, &robot) != DALEMBERT_OK) {
        return failed(name);
    }
    joints = dalembert_joints(robot);
    for (i = 0; i < joints; i++) {
        q[i] = 0.5 + 0.02 * (double)i;
        qd[i] = 0.3 - 0.1 * (double)i;
        qdd[i] = 1.0 + 0.5 * (double)i;
    }
    if (dalembert_torque(robot, q, qd, qdd, NULL, tau) != DALEMBERT_OK) {
        return failed("torque");
    }
    if (dalembert_acceleration(robot, q, qd, tau, NULL, back) != DALEMBERT_OK) {
        return failed("acceleration");
    }
    /* The same torques by a program of this robot's own: for loops over many states. That of a parallel robot takes its platform. */
    for (i = 0; i < joints; i++) {
        fast[i] = tau[i];
        state[i] = q[i];
        state[joints + i] = qd[i];
        state[2 * joints + i] = qdd[i];
    }
    if (dalembert_compile(robot, "torque", 0, &program) == DALEMBERT_OK &&
        strncmp(dalembert_program_signature(program), "q[", 2) == 0 &&
        dalembert_run(program, state, fast) != DALEMBERT_OK) {
        return failed("program");
    }
    for (i = 0; i < joints; i++) {
        printf("%.17g %.17g %.17g\n", tau[i], back[i], fast[i]);
    }
    dalembert_program_close(program);
    dalembert_close(robot);
    return 0;
}
