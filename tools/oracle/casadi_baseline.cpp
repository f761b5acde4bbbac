// Checks and times the C code of casadi_baseline.py, one state (LANES=1) or several at once (LANES=4) per call.
// The same generated code is used for both: its number type is a macro.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#ifndef LANES
#define LANES 1
#endif

struct Lanes {
  typedef double Vector __attribute__((vector_size(8 * LANES)));
  Vector v;
  Lanes() = default;
  Lanes(double s) : v(s - Vector{}) {}
  Lanes(Vector v) : v(v) {}
};
static inline Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
static inline Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
static inline Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
static inline Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
static inline Lanes operator-(Lanes a) { return -a.v; }
static inline Lanes sqrt(Lanes a) {
  for (int i = 0; i < LANES; ++i) a.v[i] = __builtin_sqrt(a.v[i]);
  return a;
}

#if LANES == 1
typedef double Real;
static double get(Real a, int) { return a; }
static void set(Real& a, int, double value) { a = value; }
#define casadi_real double
#else
typedef Lanes Real;
static double get(Real a, int lane) { return a.v[lane]; }
static void set(Real& a, int lane, double value) { a.v[lane] = value; }
#define casadi_real Lanes
#endif
#include "torque.c"
#include "states.h"

struct Group { Real in[9], out[3]; };  // LANES states

static void evaluate(std::vector<Group>& groups) {
  for (Group& g : groups) {
    const Real* arg[3] = {g.in, g.in + 3, g.in + 6};
    Real* res[1] = {g.out};
    torque(arg, res, nullptr, nullptr, 0);
  }
}

int main() {
  const int states = sizeof STATES / sizeof *STATES, rows = 1024;
  std::vector<Group> groups(rows / LANES);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < 9; ++c) set(groups[r / LANES].in[c], r % LANES, STATES[r % states][c]);

  evaluate(groups);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double error = 0, size = 0;
    for (int c = 0; c < 3; ++c) {
      error = std::max(error, std::fabs(get(groups[r / LANES].out[c], r % LANES) - TORQUES[r % states][c]));
      size = std::max(size, std::fabs(TORQUES[r % states][c]));
    }
    worst = std::max(worst, error / size);
  }

  double best = 1e9;
  for (int pass = 0; pass < 200; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    for (int repeat = 0; repeat < 20; ++repeat) evaluate(groups);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / (20.0 * rows));
  }
  std::printf("%d lane(s): %.1f ns per state, largest relative difference %.1e\n", LANES, best, worst);
}
