// Dalembert through its C interface, CasADi's generated C, Pinocchio and MuJoCo in one process: ns per state, ratios and differences.
//   peers SEARCH [ROBOT]   SEARCH 1: our programs after the search for fewer operations, 0: derived at once; ROBOT: only that one
#include "dalembert.h"
#include "robots.h"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <mujoco/mujoco.h>

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pin = pinocchio;

static const int STATES = 4096;
static const char *QUANTITIES[] = {"torque", "mass", "acceleration", "torque-derivatives", "acceleration-derivatives"};

#ifdef __AVX512F__
static const char *BEST = "avx512";
#else
static const char *BEST = "avx2";
#endif

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
static double least(const std::function<void()> &round, int rounds = 40) {
  double best = 1e18;
  for (int k = 0; k < rounds; ++k) {
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

static void good(dalembert_status status, const char *what) {
  if (status != DALEMBERT_OK) fail(what);
}

// What is measured of a program of ours.
struct Ours {
  double one, rows, columns, views, single;
};

// A quantity of a robot: our program, its states in every layout, CasADi's functions of it.
struct Case {
  dalembert_program *program = nullptr;
  size_t width, results;
  std::vector<double> rows, columns, lanes, out, theirs, many, side;
  double *packed, *packed_out;
  std::vector<float> short_rows, short_out;

  Case(dalembert_robot *robot, const char *quantity, int search, const std::function<double(int, size_t)> &number) {
    good(dalembert_compile(robot, quantity, search, &program), quantity);
    width = dalembert_program_inputs(program), results = dalembert_program_outputs(program);
    for (auto *x : {&rows, &columns}) x->resize(width * STATES);
    for (auto *x : {&out, &theirs, &many}) x->resize(results * STATES);
    lanes.resize(width * STATES + 8), side.resize(results * STATES + 8);
    for (int k = 0; k < STATES; ++k)
      for (size_t i = 0; i < width; ++i) rows[k * width + i] = columns[i * STATES + k] = number(k, i);
    short_rows.assign(rows.begin(), rows.end()), short_out.resize(results * STATES);
    packed = lanes.data(), packed_out = side.data();
    while (reinterpret_cast<size_t>(packed) % 64) ++packed;
    while (reinterpret_cast<size_t>(packed_out) % 64) ++packed_out;
  }
  ~Case() { dalembert_program_close(program); }

  // CasADi's functions: one state, with sines given, four lanes, eight.
  void casadi(const Call *calls, double *times) {
    for (int kind = 0; kind < 4; ++kind) {
      const Call volatile call = calls[kind];
#ifdef __AVX512F__
      const int eight = 8;
#else
      const int eight = 4;
#endif
      const int at_once = kind < 2 ? 1 : kind == 2 ? 4 : eight;
      for (int k = 0; k < STATES; ++k)
        for (size_t i = 0; i < width; ++i) packed[(k / at_once) * at_once * width + at_once * i + k % at_once] = rows[k * width + i];
      times[kind] = at_once == 1 ? least([&] { for (int k = 0; k < STATES; ++k) call(&rows[k * width], &theirs[k * results]); })
                                 : least([&] { for (int k = 0; k < STATES; k += at_once) call(packed + k * width, packed_out + k * results); });
    }
  }

  Ours ours(const char *machine) {
    good(dalembert_program_use(program, machine), machine);
    std::vector<const double *> in_columns, in_views;
    std::vector<double *> out_columns, out_views;
    std::vector<ptrdiff_t> in_strides(width, -2 * ptrdiff_t(width)), out_strides(results, -2 * ptrdiff_t(results));
    for (size_t i = 0; i < width; ++i) in_columns.push_back(&columns[i * STATES]), in_views.push_back(&rows[(STATES - 1) * width + i]);
    for (size_t i = 0; i < results; ++i) out_columns.push_back(&many[i * STATES]), out_views.push_back(&many[(STATES - 1) * results + i]);
    Ours ours;
    dalembert_status (*volatile run)(dalembert_program *, const double *, double *) = dalembert_run;
    ours.one = least([&] { for (int k = 0; k < STATES; ++k) run(program, &rows[k * width], &out[k * results]); });
    ours.rows = least([&] { dalembert_run_rows(program, STATES, rows.data(), many.data()); });
    // Every second row, from the last to the first.
    ours.views = 2 * least([&] { dalembert_run_strided(program, STATES / 2, in_views.data(), in_strides.data(), out_views.data(), out_strides.data()); });
    ours.columns = least([&] { dalembert_run_columns(program, STATES, in_columns.data(), out_columns.data()); });
    ours.single = least([&] { dalembert_run_rows_f32(program, STATES, short_rows.data(), short_out.data()); });
    return ours;
  }

  // The largest difference relative to the largest component; `place` finds a number of ours in others' rows.
  double apart(const std::vector<double> &others, const std::function<size_t(size_t)> &place) const {
    double most = 0;
    for (int k = 0; k < STATES; k += 13) {
      double size = 1;
      for (size_t i = 0; i < results; ++i) size = std::max(size, std::fabs(out[k * results + i]));
      for (size_t i = 0; i < results; ++i) most = std::max(most, std::fabs(out[k * results + i] - others[k * results + place(i)]) / size);
    }
    return most;
  }

  // The same of single precision.
  double apart_single() const {
    std::vector<double> others(short_out.begin(), short_out.end());
    return apart(others, [](size_t i) { return i; });
  }
};

static void head(const std::vector<const char *> &names) {
  for (const char *name : names) std::printf("| %s ", name);
  std::printf("|\n");
  for (size_t k = 0; k < names.size(); ++k) std::printf("| --- ");
  std::printf("|\n");
}

// The second table, printed when all is measured.
static std::vector<std::string> ratios;

static void row(const char *robot, const char *quantity, double pinocchio, double mujoco, const double *casadi, const Ours &best, const Ours &avx2, double apart, double apart_mujoco, double apart_single) {
  const auto time = [](double x) { return x > 0 ? std::to_string(int(x + 0.5)) : std::string("–"); };
  const double theirs = std::min(casadi[0], casadi[1]);
  const double layouts[] = {best.columns, best.rows, best.views};
  const double spread = *std::max_element(layouts, layouts + 3) / *std::min_element(layouts, layouts + 3);
  std::printf("| %s | %s | %s | %s | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", robot, quantity, time(pinocchio).c_str(),
              time(mujoco).c_str(), casadi[0], casadi[1], casadi[2], casadi[3], best.one, best.columns, best.rows, best.views, best.single, avx2.one, avx2.columns, avx2.rows);
  std::fflush(stdout);
  char line[400], from_mujoco[20] = "–";
  if (mujoco > 0) std::snprintf(from_mujoco, sizeof from_mujoco, "%.0e", apart_mujoco);
  std::snprintf(line, sizeof line, "| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f | %.0e | %s | %.0e |", robot, quantity, best.one / theirs, avx2.one / theirs,
                best.columns / casadi[2], avx2.columns / casadi[2], best.columns / casadi[3], spread, pinocchio / best.one, pinocchio / best.columns, apart, from_mujoco, apart_single);
  ratios.push_back(line);
}

// The Delta for Pinocchio as in tools/oracle/rigid_bodies.py: per arm (q, θ − q, γ), then the platform's position; nine loop equations.
struct Tree {
  pin::Model model;
  pin::FrameIndex tips[3];
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) loops;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) loop_data;
  std::unique_ptr<pin::Data> data;

  Tree() {
    model.gravity.linear(Eigen::Vector3d(DELTA_GRAVITY[0], DELTA_GRAVITY[1], DELTA_GRAVITY[2]));
    pin::JointIndex rods[3];
    const auto flat = [](double inertia) { return Eigen::Vector3d(0, inertia, inertia).asDiagonal().toDenseMatrix(); };
    const Eigen::Matrix3d still = Eigen::Matrix3d::Identity();
    for (int i = 0; i < 3; ++i) {
      const double *n = DELTA[i];
      const Eigen::Matrix3d turn = Eigen::AngleAxisd(n[0], Eigen::Vector3d::UnitZ()).toRotationMatrix();
      const auto name = [&](const char *part) { return part + std::to_string(i); };
      const auto arm = model.addJoint(0, pin::JointModelRY(), pin::SE3(turn, turn * Eigen::Vector3d(n[1], 0, 0)), name("arm"));
      model.appendBodyToJoint(arm, pin::Inertia(n[3], Eigen::Vector3d(n[4], 0, 0), flat(n[5])), pin::SE3::Identity());
      const auto cross = model.addJoint(arm, pin::JointModelRY(), pin::SE3(still, Eigen::Vector3d(n[2], 0, 0)), name("cross"));
      rods[i] = model.addJoint(cross, pin::JointModelRZ(), pin::SE3::Identity(), name("rod"));
      model.appendBodyToJoint(rods[i], pin::Inertia(n[8], Eigen::Vector3d(n[9], 0, 0), flat(n[10])), pin::SE3::Identity());
      tips[i] = model.addFrame(pin::Frame(name("tip"), rods[i], 0, pin::SE3(still, Eigen::Vector3d(n[7], 0, 0)), pin::OP_FRAME));
      model.armature[3 * i] = n[6];
    }
    const auto platform = model.addJoint(0, pin::JointModelTranslation(), pin::SE3::Identity(), "platform");
    model.appendBodyToJoint(platform, pin::Inertia(DELTA_MASS, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero()), pin::SE3::Identity());
    for (int i = 0; i < 3; ++i) {
      loops.emplace_back(pin::CONTACT_3D, model, rods[i], pin::SE3(still, Eigen::Vector3d(DELTA[i][7], 0, 0)), platform, pin::SE3::Identity(), pin::LOCAL_WORLD_ALIGNED);
      loop_data.emplace_back(loops.back());
    }
    data.reset(new pin::Data(model));
    pin::initConstraintDynamics(model, *data, loops, loop_data);
  }

  // Positions of all joints from those of the motors and the platform: given to Pinocchio, which does not compute them.
  Eigen::VectorXd joints(const double *q, const double *x) const {
    Eigen::VectorXd all(12);
    for (int i = 0; i < 3; ++i) {
      const double c = std::cos(DELTA[i][0]), s = std::sin(DELTA[i][0]), reach = DELTA[i][1] + DELTA[i][2] * std::cos(q[i]);
      const double radial = c * x[0] + s * x[1] - reach, side = c * x[1] - s * x[0], z = x[2] + DELTA[i][2] * std::sin(q[i]);
      all[3 * i] = q[i], all[3 * i + 1] = std::atan2(-z, radial) - q[i], all[3 * i + 2] = std::asin(side / DELTA[i][7]);
      all[9 + i] = x[i];
    }
    return all;
  }

  typedef Eigen::Matrix<double, 9, 9> M9;
  typedef Eigen::Matrix<double, 9, 1> V9;
  typedef Eigen::Matrix<double, 12, 12> M12;
  Eigen::Matrix<double, 9, 12> jacobian = Eigen::Matrix<double, 9, 12>::Zero();
  Eigen::Matrix<double, 6, 12> columns = Eigen::Matrix<double, 6, 12>::Zero();

  // Velocities of all joints from the platform's.
  Eigen::VectorXd velocities(const Eigen::VectorXd &q, const Eigen::Vector3d &v, Eigen::PartialPivLU<M9> &lu) {
    pin::computeJointJacobians(model, *data, q);
    for (int i = 0; i < 3; ++i) {
      pin::updateFramePlacement(model, *data, tips[i]);
      columns.setZero();
      pin::getFrameJacobian(model, *data, tips[i], pin::LOCAL_WORLD_ALIGNED, columns);
      jacobian.middleRows<3>(3 * i) = columns.topRows<3>();
      jacobian.block<3, 3>(3 * i, 9) -= Eigen::Matrix3d::Identity();
    }
    lu.compute(jacobian.leftCols<9>());
    Eigen::VectorXd qd(12);
    qd << -lu.solve(V9(jacobian.rightCols<3>() * v)), v;
    return qd;
  }

  Eigen::Vector3d torque(const Eigen::VectorXd &q, const Eigen::Vector3d &v, const Eigen::Vector3d &a) {
    Eigen::PartialPivLU<M9> lu;
    const Eigen::VectorXd qd = velocities(q, v, lu);
    pin::forwardKinematics(model, *data, q, qd, Eigen::VectorXd::Zero(12));
    V9 drift;
    for (int i = 0; i < 3; ++i) drift.segment<3>(3 * i) = pin::getFrameClassicalAcceleration(model, *data, tips[i], pin::LOCAL_WORLD_ALIGNED).linear();
    Eigen::VectorXd qdd(12);
    qdd << -lu.solve(V9(jacobian.rightCols<3>() * a + drift)), a;
    const Eigen::VectorXd tree = pin::rnea(model, *data, q, qd, qdd);
    M12 unknowns = M12::Zero();
    for (int i = 0; i < 3; ++i) unknowns(3 * i, i) = 1;
    unknowns.rightCols<9>() = jacobian.transpose();
    return Eigen::PartialPivLU<M12>(unknowns).solve(tree).head<3>();
  }

  Eigen::Vector3d acceleration(const Eigen::VectorXd &q, const Eigen::VectorXd &qd, const double *tau) {
    Eigen::VectorXd effort = Eigen::VectorXd::Zero(12);
    for (int i = 0; i < 3; ++i) effort[3 * i] = tau[i];
    pin::ProximalSettings settings(1e-14, 0.0, 10);
    const Eigen::VectorXd &qdd = pin::constraintDynamics(model, *data, q, qd, effort, loops, loop_data, settings);
    return Eigen::Vector3d(qdd[0], qdd[3], qdd[6]);
  }
};

static void delta(int search) {
  dalembert_robot *robot = nullptr;
  good(dalembert_open("d3-1200", nullptr, &robot), "d3-1200");
  // Motors at 0.2 to 0.8 rad; the platform where they hold it.
  std::vector<double> q(3 * STATES), x(3 * STATES);
  for (int k = 0; k < STATES; ++k) {
    for (int i = 0; i < 3; ++i) q[3 * k + i] = 0.5 + 0.3 * std::sin(1.0 + 1.7 * k + 2.9 * i);
    dalembert_tool tool;
    good(dalembert_forward_kinematics(robot, &q[3 * k], nullptr, nullptr, &tool), "forward kinematics");
    std::copy(tool.position, tool.position + 3, &x[3 * k]);
  }
  const auto moving = [](int k, size_t i) { return std::sin(1.0 + 1.7 * k + 2.9 * double(i)) * (i < 6 ? 2.0 : 20.0); };
  Tree tree;
  std::vector<Eigen::VectorXd> joints;
  for (int k = 0; k < STATES; ++k) joints.push_back(tree.joints(&q[3 * k], &x[3 * k]));
  const auto in_place = [](size_t i) { return i; };
  for (int quantity = 0; quantity < 2; ++quantity) {
    const std::vector<double> &from = quantity == 0 ? x : q;
    Case work(robot, quantity == 0 ? "torque-cartesian" : "acceleration", search, [&](int k, size_t i) { return i < 3 ? from[3 * k + i] : moving(k, i); });
    double casadi[4];
    const Ours avx2 = work.ours("avx2"), best = work.ours(BEST);
    work.casadi(CASADI_DELTA[quantity], casadi);
    std::vector<double> theirs(3 * STATES);
    std::vector<Eigen::VectorXd> velocities;
    if (quantity == 1) {
      // The platform's velocity from the motors', and that of all joints: given, too.
      for (int k = 0; k < STATES; ++k) {
        Eigen::PartialPivLU<Tree::M9> lu;
        Eigen::Matrix3d of_platform;
        for (int c = 0; c < 3; ++c) {
          const Eigen::VectorXd all = tree.velocities(joints[k], Eigen::Vector3d::Unit(c), lu);
          for (int i = 0; i < 3; ++i) of_platform(i, c) = all[3 * i];
        }
        const Eigen::Vector3d motors = Eigen::Map<const Eigen::Vector3d>(&work.rows[9 * k + 3]);
        velocities.push_back(tree.velocities(joints[k], of_platform.inverse() * motors, lu));
      }
    }
    const double pinocchio = least([&] {
      for (int k = 0; k < STATES; ++k) {
        typedef Eigen::Map<const Eigen::Vector3d> V;
        const double *state = &work.rows[9 * k];
        const Eigen::Vector3d found = quantity == 0 ? tree.torque(joints[k], V(state + 3), V(state + 6)) : tree.acceleration(joints[k], velocities[k], state + 6);
        for (int i = 0; i < 3; ++i) theirs[3 * k + i] = found[i];
      }
    }, 10);
    const double apart = std::max(work.apart(work.theirs, in_place), work.apart(theirs, in_place));
    row("d3-1200", quantity == 0 ? "torque from x, v, a" : "acceleration from q, qd, tau", pinocchio, 0, casadi, best, avx2, apart, 0, work.apart_single());
  }
  dalembert_close(robot);
}

static void arm(size_t a, int search) {
  const Arm &arm = ARMS[a];
  const int n = arm.joints;
  dalembert_robot *robot = nullptr;
  good(dalembert_open(arm.file, nullptr, &robot), arm.file);
  const pin::Model model = model_of(arm);
  pin::Data data(model);
  char error[500] = "";
  mjModel *mujoco = mj_loadXML(arm.mjcf, nullptr, error, sizeof error);
  if (!mujoco) std::fprintf(stderr, "%s: %s\n", arm.mjcf, error), std::exit(1);
  mjData *state = mj_makeData(mujoco);
  for (int quantity = 0; quantity < 5; ++quantity) {
    Case work(robot, QUANTITIES[quantity], search,
              [&](int k, size_t i) { return std::sin(1.0 + 1.7 * k + 2.9 * double(i)) * (1.0 + double(i) / double(n)); });
    const size_t width = work.width, results = work.results;
    double casadi[4];
    const Ours avx2 = work.ours("avx2"), best = work.ours(BEST);
    work.casadi(CASADI[a][quantity], casadi);
    typedef Eigen::Map<const Eigen::VectorXd> Numbers;
    const auto part = [&](int k, int order) { return Numbers(&work.rows[k * width + order * n], n); };
    const double pinocchio = least([&] {
      for (int k = 0; k < STATES; ++k) switch (quantity) {
          case 0: pin::rnea(model, data, part(k, 0), part(k, 1), part(k, 2)); break;
          case 1: pin::crba(model, data, part(k, 0)); break;
          case 2: pin::aba(model, data, part(k, 0), part(k, 1), part(k, 2)); break;
          case 3: pin::computeRNEADerivatives(model, data, part(k, 0), part(k, 1), part(k, 2)); break;
          default: pin::computeABADerivatives(model, data, part(k, 0), part(k, 1), part(k, 2));
        }
    }, 10);
    // MuJoCo's inverse and forward dynamics without constraints.
    std::vector<double> theirs(results * STATES);
    double by_mujoco = 0;
    if (quantity == 0 || quantity == 2)
      by_mujoco = least([&] {
        for (int k = 0; k < STATES; ++k) {
          const double *x = &work.rows[k * width];
          std::copy(x, x + n, state->qpos), std::copy(x + n, x + 2 * n, state->qvel);
          std::copy(x + 2 * n, x + 3 * n, quantity == 0 ? state->qacc : state->qfrc_applied);
          quantity == 0 ? mj_inverse(mujoco, state) : mj_forward(mujoco, state);
          const double *found = quantity == 0 ? state->qfrc_inverse : state->qacc;
          std::copy(found, found + n, &theirs[k * results]);
        }
      }, 10);
    // Matrices of CasADi's are column by column.
    const auto place = [&](size_t i) {
      const size_t square = size_t(n) * n, block = i / square, row = i % square / n, column = i % n;
      return quantity == 0 || quantity == 2 ? i : block * square + column * n + row;
    };
    double apart = work.apart(work.theirs, place);
    if (quantity == 0) {
      std::vector<double> rnea(results * STATES);
      for (int k = 0; k < STATES; ++k) Eigen::Map<Eigen::VectorXd>(&rnea[k * results], n) = pin::rnea(model, data, part(k, 0), part(k, 1), part(k, 2));
      apart = std::max(apart, work.apart(rnea, place));
    }
    // MuJoCo changes bodies that no mass distribution has, such as the third link of the PUMA.
    row(arm.name, QUANTITIES[quantity], pinocchio, by_mujoco, casadi, best, avx2, apart, work.apart(theirs, place), work.apart_single());
  }
  mj_deleteData(state), mj_deleteModel(mujoco);
  dalembert_close(robot);
}

int main(int count, char **arguments) {
  const int search = count > 1 ? std::atoi(arguments[1]) : 1;
  const auto wanted = [&](const char *name) { return count < 3 || std::strcmp(arguments[2], name) == 0; };
  head({"robot", "quantity", "Pinocchio", "MuJoCo", "CasADi's C, one", "with vector sines", "four lanes", "eight lanes", "ours, one", "columns", "rows", "views", "rows, `f32`",
        "AVX2: one", "columns", "rows"});
  if (wanted("d3-1200")) delta(search);
  for (size_t a = 0; a < sizeof ARMS / sizeof *ARMS; ++a)
    if (wanted(ARMS[a].name)) arm(a, search);
  std::printf("\n");
  head({"robot", "quantity", "one / CasADi's better one", "with AVX2", "columns / four lanes", "with AVX2", "columns / eight lanes", "slowest layout / fastest", "Pinocchio / one",
        "Pinocchio / columns", "apart", "MuJoCo apart", "`f32` apart"});
  for (const std::string &line : ratios) std::printf("%s\n", line.c_str());
}
