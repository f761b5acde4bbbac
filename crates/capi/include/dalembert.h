/*
 * Dalembert from C: robots, their kinematics and their dynamics.
 *
 *   dalembert_robot *robot = NULL;
 *   double q[3] = {0.7, 0.7, 0.7}, zero[3] = {0}, tau[3];
 *   if (dalembert_open("d3-1200", NULL, &robot) != DALEMBERT_OK ||
 *       dalembert_torque(robot, q, zero, zero, NULL, tau) != DALEMBERT_OK) {
 *       fprintf(stderr, "%s\n", dalembert_message());
 *   }
 *   dalembert_close(robot);
 *
 * SI units and radians; base frame; a joint that slides has m and N where others have rad and N m. A robot does not change
 * after it was opened: threads may share it. Functions that compute a state do not allocate unless they refuse it.
 *
 * Lengths. The arrays q, qd, qdd, near_q and tau have dalembert_joints(robot) numbers, `mass` has the square of that. C does not
 * say how long an array is: one that is shorter is read or written beyond its end. Pointers are aligned as C aligns their type.
 *
 * Numbers. Every number given for one state and every result of it has to be finite, or the function returns
 * DALEMBERT_NOT_FINITE. What a function refuses leaves its outputs as they were, but a handle (dalembert_open, dalembert_compile,
 * dalembert_program_copy), which is NULL then. Batches compute all states first: see dalembert_torques.
 */
#ifndef DALEMBERT_H
#define DALEMBERT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No robot has more joints. */
#define DALEMBERT_MOST_JOINTS 64

typedef enum dalembert_status {
    DALEMBERT_OK = 0,
    DALEMBERT_NULL_POINTER = 1, /* a pointer that has to be given is NULL */
    DALEMBERT_NOT_LOADED = 2,   /* no such robot, or its file is refused */
    DALEMBERT_NO_MODEL = 3,     /* the robot has no such model, or it does not apply */
    DALEMBERT_OUT_OF_REACH = 4,
    DALEMBERT_SINGULAR = 5,
    DALEMBERT_NO_POSE = 6, /* no pose, or no single one, has these joints */
    DALEMBERT_NOT_FINITE = 7, /* a number that is given or that would be returned is NaN or infinite */
    DALEMBERT_NO_INERTIA = 8,
    DALEMBERT_NOT_OFFERED = 9, /* this robot or model does not have it */
    DALEMBERT_COLUMNS = 10,    /* the arrays of a batch do not fit, overlap, or are larger than any memory */
    DALEMBERT_BUG = 11         /* please report it */
} dalembert_status;

/* A robot with one of its dynamic models. */
typedef struct dalembert_robot dalembert_robot;

/* The tool of a robot (the platform of a parallel one) with its velocity and acceleration. */
typedef struct dalembert_tool {
    double position[3];
    double rotation[9]; /* row by row; its columns are the axes of the tool */
    double velocity[3];
    double angular_velocity[3];
    double acceleration[3];
    double angular_acceleration[3];
    double turn; /* angle about z with whole turns, for robots whose tool has a fourth axis; else 0 */
} dalembert_tool;

/* What the environment does to the tool: force, N, and moment about the tool point, N m. */
typedef struct dalembert_wrench {
    double force[3];
    double moment[3];
} dalembert_wrench;

/* Why the last call of this thread failed, in words; "" after one that returned DALEMBERT_OK. Valid until its next call. */
const char *dalembert_message(void);

/* The version of the library. */
const char *dalembert_version(void);

/*
 * Opens a built-in robot or a robot file (`robot.toml`) with a dynamic model: "exact", which is also what NULL means, or
 * another one that `dalembert check` lists. Close it with dalembert_close.
 */
dalembert_status dalembert_open(const char *name_or_path, const char *model, dalembert_robot **robot);

/* Closes a robot; NULL is allowed. */
void dalembert_close(dalembert_robot *robot);

/* How many joints it has; 0 for NULL. */
size_t dalembert_joints(const dalembert_robot *robot);

/* A tool at rest at a place, not turned. */
dalembert_tool dalembert_tool_at(double x, double y, double z);

/* Forward kinematics: the tool of the joints. Velocities and accelerations may be NULL: then they are zero. */
dalembert_status dalembert_forward_kinematics(const dalembert_robot *robot, const double *q, const double *qd,
                                              const double *qdd, dalembert_tool *tool);

/*
 * Inverse kinematics: the joints of a tool, the solution that is nearest to `near_q`, or the usual one where that is NULL. For a
 * Delta too: a state with its elbows in gives the solution with its elbows in; whole turns of its arms do not count. `qd` and `qdd`
 * may be NULL.
 */
dalembert_status dalembert_inverse_kinematics(const dalembert_robot *robot, const dalembert_tool *tool, const double *near_q,
                                              double *q, double *qd, double *qdd);

/* Inverse dynamics from the joints: torques of the motors, friction included. `wrench` may be NULL. */
dalembert_status dalembert_torque(const dalembert_robot *robot, const double *q, const double *qd, const double *qdd,
                                  const dalembert_wrench *wrench, double *tau);

/* Inverse dynamics from the tool, with its usual solution of the kinematics. */
dalembert_status dalembert_torque_of_tool(const dalembert_robot *robot, const dalembert_tool *tool,
                                          const dalembert_wrench *wrench, double *tau);

/* Forward dynamics: accelerations of the joints, friction included. */
dalembert_status dalembert_acceleration(const dalembert_robot *robot, const double *q, const double *qd, const double *tau,
                                        const dalembert_wrench *wrench, double *qdd);

/* Torques that hold it still. */
dalembert_status dalembert_gravity(const dalembert_robot *robot, const double *q, double *tau);

/* Mass matrix in the joints, row by row. */
dalembert_status dalembert_mass_matrix(const dalembert_robot *robot, const double *q, double *mass);

/*
 * Torques of many states by vector instructions. `states` are 3 × `components` columns of `rows` numbers: positions,
 * velocities, accelerations, in the form in which the robot's states are usually given (dalembert_by_tool). `tau` are as many
 * columns as there are joints. A whole column may be input and output at once; any other overlap of outputs is refused.
 *
 * All states are computed. One that is out of reach comes out as NaN; if there is such a state, the function returns
 * DALEMBERT_NOT_FINITE, and the message names the first. So do the batches of programs below.
 */
dalembert_status dalembert_torques(const dalembert_robot *robot, size_t rows, size_t components,
                                   const double *const *states, double *const *tau);

/* Whether its states are usually given by the tool (1) or by the joints (0). */
int dalembert_by_tool(const dalembert_robot *robot);

/*
 * The fastest way: a quantity of a robot as a program of its own, derived and turned into machine code where this is called; no
 * compiler is needed. `quantity` is a name as `dalembert derive --of` has it: "torque", "mass", "gravity", "acceleration", … With
 * `search` 0 it is there within a second, else fewer operations are searched for some seconds. The ranges of joints are not looked
 * at. One state without a finite result is refused; of a batch it comes out as NaN, as above.
 *
 * A program belongs to one thread at a time; a copy is another one. Outputs that overlap inputs or one another are refused, except in
 * dalembert_run. One state, any number of rows, columns and views give the same bits, with any number of threads and on every
 * processor.
 */
typedef struct dalembert_program dalembert_program;

dalembert_status dalembert_compile(const dalembert_robot *robot, const char *quantity, int search, dalembert_program **program);
dalembert_status dalembert_program_copy(const dalembert_program *program, dalembert_program **copy);
void dalembert_program_close(dalembert_program *program);

/*
 * What goes in and what comes out, one array after the other: "q[6] qd[6] qdd[6] -> tau[6]" for the torque of an arm; the programs of
 * a parallel robot take its platform. Valid as long as the program.
 */
const char *dalembert_program_signature(const dalembert_program *program);

/* How many numbers that are in all: those of a state in `inputs` and in `outputs`, or how many columns and addresses there are. */
size_t dalembert_program_inputs(const dalembert_program *program);
size_t dalembert_program_outputs(const dalembert_program *program);

/*
 * What runs it: "avx512" or "avx2", machine code for the instructions of this processor, or "tiles", which runs everywhere. The fastest is
 * chosen when a program is compiled; another one gives the same bits more slowly (for tests and measurements).
 */
const char *dalembert_program_machine(const dalembert_program *program);
dalembert_status dalembert_program_use(dalembert_program *program, const char *machine);

/*
 * How many threads a batch is shared among, if it is large enough to be worth starting them (some 100 microseconds of work): 1 unless this
 * is called; 0: as many as the processor runs at once; at most 1024.
 */
dalembert_status dalembert_program_threads(dalembert_program *program, size_t threads);

/* One state. */
dalembert_status dalembert_run(dalembert_program *program, const double *inputs, double *outputs);

/* Many states, one after the other. */
dalembert_status dalembert_run_rows(dalembert_program *program, size_t states, const double *inputs, double *outputs);

/* Many states, a column for each number. */
dalembert_status dalembert_run_columns(dalembert_program *program, size_t states, const double *const *inputs,
                                       double *const *outputs);

/*
 * Many states anywhere, as a view of NumPy has them: for each number the address of that of the first state, and how many numbers farther on
 * that of the next state is (1: a column; the length of a row: rows; negative: backwards; 0: the same for all states, of inputs).
 */
dalembert_status dalembert_run_strided(dalembert_program *program, size_t states, const double *const *inputs,
                                       const ptrdiff_t *input_strides, double *const *outputs,
                                       const ptrdiff_t *output_strides);

/*
 * The same in single precision: twice as many states at once in half the memory, with some seven digits less what the program loses
 * (docs/performance.md has measured errors). The first of these calls makes the program in single precision and allocates.
 */
dalembert_status dalembert_run_f32(dalembert_program *program, const float *inputs, float *outputs);
dalembert_status dalembert_run_rows_f32(dalembert_program *program, size_t states, const float *inputs, float *outputs);
dalembert_status dalembert_run_columns_f32(dalembert_program *program, size_t states, const float *const *inputs,
                                           float *const *outputs);
dalembert_status dalembert_run_strided_f32(dalembert_program *program, size_t states, const float *const *inputs,
                                           const ptrdiff_t *input_strides, float *const *outputs,
                                           const ptrdiff_t *output_strides);

#ifdef __cplusplus
}
#endif

#endif
