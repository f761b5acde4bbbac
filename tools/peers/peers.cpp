// Dalembert through its C interface, CasADi's generated C and Pinocchio in one process: ns per state, ratios and differences.
//   peers SEARCH    SEARCH 1: our programs after the search for fewer operations, 0: derived at once
#include "arms.h"
#include "dalembert.h"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace pin = pinocchio;

static const int STATES = 4096;
static const char *QUANTITIES[] = {"torque", "mass", "acceleration", "torque-derivatives"};

static pin::SE3 pose(const double *rows) {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d origin;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation(i, j) = rows[4 * i + j];
    origin[i] = rows[4 * i + 3];
  }
  return pin::SE3(rotation, origin);
}

static pin::Model model_of(const Arm &arm) {
  pin::Model model;
  model.gravity.linear(Eigen::Vector3d(arm.gravity[0], arm.gravity[1], arm.gravity[2]));
  pin::JointIndex parent = 0;
  for (int i = 0; i < arm.joints; ++i) {
    const double *row = arm.rows[i];
    const std::string name = "joint" + std::to_string(i);
    parent = row[0] != 0 ? model.addJoint(parent, pin::JointModelPZ(), pose(row + 1), name)
                         : model.addJoint(parent, pin::JointModelRZ(), pose(row + 1), name);
    Eigen::Matrix3d inertia;
    for (int k = 0; k < 9; ++k) inertia(k / 3, k % 3) = row[29 + k];
    const Eigen::Vector3d center(row[26], row[27], row[28]);
    model.appendBodyToJoint(parent, pin::Inertia(row[25], center, inertia), pose(row + 13));
    model.armature[i] = row[38];
  }
  return model;
}

// The least time of many rounds over all states, ns per state.
static double least(const std::function<void()> &round) {
  double best = 1e18;
  for (int k = 0; k < 60; ++k) {
    const auto start = std::chrono::steady_clock::now();
    round();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / STATES);
  }
  return best;
}

static void fail(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, dalembert_message());
  std::exit(1);
}

int main(int count, char **arguments) {
  const int search = count > 1 ? std::atoi(arguments[1]) : 1;
  std::printf("| arm | quantity | Pinocchio | CasADi's C, one | four lanes | ours, one | rows | columns | one: CasADi / ours | columns: CasADi / ours | Pinocchio / ours, one | columns | apart |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t a = 0; a < sizeof ARMS / sizeof *ARMS; ++a) {
    const Arm &arm = ARMS[a];
    const int n = arm.joints;
    dalembert_robot *robot = nullptr;
    if (dalembert_open(arm.file, nullptr, &robot) != DALEMBERT_OK) fail(arm.file);
    const pin::Model model = model_of(arm);
    pin::Data data(model);
    for (int quantity = 0; quantity < 4; ++quantity) {
      dalembert_program *program = nullptr;
      if (dalembert_compile(robot, QUANTITIES[quantity], search, &program) != DALEMBERT_OK) fail(QUANTITIES[quantity]);
      const size_t width = dalembert_program_inputs(program), results = dalembert_program_outputs(program);
      std::vector<double> rows(width * STATES), columns(width * STATES), lanes(width * STATES + 4);
      std::vector<double> out(results * STATES), theirs(results * STATES), many(results * STATES), side(results * STATES + 4);
      std::vector<const double *> in_columns;
      std::vector<double *> out_columns;
      for (size_t i = 0; i < width; ++i) in_columns.push_back(&columns[i * STATES]);
      for (size_t i = 0; i < results; ++i) out_columns.push_back(&many[i * STATES]);
      double *packed = lanes.data(), *packed_out = side.data();
      while (reinterpret_cast<size_t>(packed) % 32) ++packed;
      while (reinterpret_cast<size_t>(packed_out) % 32) ++packed_out;
      for (int k = 0; k < STATES; ++k)
        for (size_t i = 0; i < width; ++i) {
          const double x = std::sin(1.0 + 1.7 * k + 2.9 * double(i)) * (1.0 + double(i) / double(n));
          rows[k * width + i] = columns[i * STATES + k] = x;
          packed[(k / 4) * 4 * width + 4 * i + k % 4] = x;
        }
      const Call volatile one = CASADI[a][quantity][0], four = CASADI[a][quantity][1];
      const double casadi_one = least([&] { for (int k = 0; k < STATES; ++k) one(&rows[k * width], &theirs[k * results]); });
      const double casadi_four = least([&] { for (int k = 0; k < STATES; k += 4) four(packed + k * width, packed_out + k * results); });
      dalembert_status (*volatile run)(dalembert_program *, const double *, double *) = dalembert_run;
      const double ours_one = least([&] { for (int k = 0; k < STATES; ++k) run(program, &rows[k * width], &out[k * results]); });
      const double ours_rows = least([&] { dalembert_run_rows(program, STATES, rows.data(), many.data()); });
      const double ours_columns = least([&] { dalembert_run_columns(program, STATES, in_columns.data(), out_columns.data()); });
      typedef Eigen::Map<const Eigen::VectorXd> Numbers;
      const auto part = [&](int k, int order) { return Numbers(&rows[k * width + order * n], n); };
      const double pinocchio = least([&] {
        for (int k = 0; k < STATES; ++k) switch (quantity) {
          case 0: pin::rnea(model, data, part(k, 0), part(k, 1), part(k, 2)); break;
          case 1: pin::crba(model, data, part(k, 0)); break;
          case 2: pin::aba(model, data, part(k, 0), part(k, 1), part(k, 2)); break;
          default: pin::computeRNEADerivatives(model, data, part(k, 0), part(k, 1), part(k, 2));
        }
      });
      // Ours and CasADi's, and of torques Pinocchio's; matrices of CasADi's are column by column.
      double apart = 0;
      for (int k = 0; k < STATES; k += 13) {
        double size = 1;
        for (size_t i = 0; i < results; ++i) size = std::max(size, std::fabs(out[k * results + i]));
        for (size_t i = 0; i < results; ++i) {
          const size_t block = i / (n * n), row = i % (n * n) / n, column = i % n;
          const size_t place = quantity == 0 || quantity == 2 ? i : block * n * n + column * n + row;
          apart = std::max(apart, std::fabs(out[k * results + i] - theirs[k * results + place]) / size);
        }
        if (quantity == 0) {
          const Eigen::VectorXd tau = pin::rnea(model, data, part(k, 0), part(k, 1), part(k, 2));
          for (int i = 0; i < n; ++i) apart = std::max(apart, std::fabs(out[k * results + i] - tau[i]) / size);
        }
      }
      std::printf("| %s | %s | %.0f | %.0f | %.1f | %.0f | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f | %.0e |\n", arm.name, QUANTITIES[quantity],
                  pinocchio, casadi_one, casadi_four, ours_one, ours_rows, ours_columns, casadi_one / ours_one, casadi_four / ours_columns,
                  pinocchio / ours_one, pinocchio / ours_columns, apart);
      std::fflush(stdout);
      dalembert_program_close(program);
    }
    dalembert_close(robot);
  }
}
