/* Torques of the built-in Delta d3-1200 and of the PUMA 560 by the formulas of dalembert-core, as `number` is. */
void core_d3_1200(const double q[3], const double qd[3], const double qdd[3], double tau[3]);
void core_d3_1200_float(const float q[3], const float qd[3], const float qdd[3], float tau[3]);
void core_puma560(const double q[6], const double qd[6], const double qdd[6], double tau[6]);
void core_puma560_float(const float q[6], const float qd[6], const float qdd[6], float tau[6]);
