// The speed of Pinocchio with a robot like `hexa`, for docs/parallel.md. It needs the headers of Pinocchio 4, Boost and Eigen (pip: pin,
// cmeel-eigen; their prefix is PREFIX here):
//   g++ -O3 -march=native -DNDEBUG -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
//     -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -std=c++17 -I PREFIX/include -I PREFIX/include/pinocchio/deprecated -I PREFIX/include/eigen3
//     six_rods.cpp -o six_rods -L PREFIX/lib -lpinocchio_default -Wl,-rpath,PREFIX/lib
//
// Torques and accelerations of a six-rod robot (six arms, six rods on ball joints, a free platform) by Pinocchio: rnea (crba) of the tree,
// Jacobian of the eighteen loop equations, LU of the whole.
#include <pinocchio/multibody/model.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <Eigen/LU>
#include <chrono>
#include <cstdio>
namespace pin = pinocchio;
using V3 = Eigen::Vector3d;
int main() {
  pin::Model model;
  model.gravity.linear(V3(0, 0, -9.81));
  std::vector<pin::JointIndex> rods;
  V3 platform_joint[6];
  for (int i = 0; i < 6; ++i) {
    double turn = 2 * M_PI * (i / 2) / 3, side = i % 2 ? -0.08 : 0.08;
    Eigen::Matrix3d R = Eigen::AngleAxisd(turn, V3::UnitZ()).toRotationMatrix();
    auto arm = model.addJoint(0, pin::JointModelRY(), pin::SE3(R, R * V3(0.2, side, 0)), "arm" + std::to_string(i));
    model.appendBodyToJoint(arm, pin::Inertia(0.35, V3(0.09, 0, 0), Eigen::Vector3d(1e-4, 0.0022, 0.0022).asDiagonal().toDenseMatrix()));
    auto rod = model.addJoint(arm, pin::JointModelSpherical(), pin::SE3(Eigen::Matrix3d::Identity(), V3(0.25, 0, 0)), "rod" + std::to_string(i));
    model.appendBodyToJoint(rod, pin::Inertia(0.12, V3(0, 0, 0.3), Eigen::Vector3d(0.0036, 0.0036, 1e-6).asDiagonal().toDenseMatrix()));
    rods.push_back(rod);
    platform_joint[i] = R * V3(0.06, side, 0);
  }
  auto plate = model.addJoint(0, pin::JointModelFreeFlyer(), pin::SE3::Identity(), "platform");
  model.appendBodyToJoint(plate, pin::Inertia(0.6, V3(0, 0, -0.01), Eigen::Vector3d(1.5e-3, 1.5e-3, 2.6e-3).asDiagonal().toDenseMatrix()));
  pin::Data data(model);
  const int n = model.nv;  // 30
  Eigen::VectorXd q0 = pin::neutral(model), v = Eigen::VectorXd::Random(n), a = Eigen::VectorXd::Random(n);
  const int states = 64;
  std::vector<Eigen::VectorXd> qs;
  srand(1);
  for (int k = 0; k < states; ++k) qs.push_back(pin::integrate(model, q0, 0.3 * Eigen::VectorXd::Random(n)));
  // Rows without the rods' spin about their own line, which nothing drives; columns: six motors, eighteen loop forces.
  std::vector<int> rows;
  for (int i = 0; i < 6; ++i) { rows.push_back(4 * i); rows.push_back(4 * i + 1); rows.push_back(4 * i + 2); }
  for (int i = 0; i < 6; ++i) rows.push_back(24 + i);
  using M24 = Eigen::Matrix<double, 24, 24>;
  using V24 = Eigen::Matrix<double, 24, 1>;
  using J18 = Eigen::Matrix<double, 18, 30>;
  J18 J;
  J.setZero();
  // The six loops: a rod's end against its place on the platform, from the columns of the joints' Jacobian.
  auto loops = [&](const Eigen::VectorXd&) {
    const auto& columns = data.J;  // world frame, after computeJointJacobians
    for (int i = 0; i < 6; ++i) {
      V3 end = data.oMi[rods[i]].act(V3(0, 0, 0.6)), place = data.oMi[plate].act(platform_joint[i]);
      for (int c = 4 * i; c < 4 * i + 4; ++c) J.block<3, 1>(3 * i, c) = columns.col(c).head<3>() + columns.col(c).tail<3>().cross(end);
      for (int c = 24; c < 30; ++c) J.block<3, 1>(3 * i, c) = -(columns.col(c).head<3>() + columns.col(c).tail<3>().cross(place));
    }
  };
  auto best = [&](auto run) {
    double least = 1e9;
    for (int r = 0; r < 300; ++r) {
      auto t = std::chrono::steady_clock::now();
      for (int k = 0; k < states; ++k) run(qs[k]);
      double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count() / states;
      least = std::min(least, s);
    }
    return 1e9 * least;
  };
  volatile double sink = 0;
  double tree = best([&](const Eigen::VectorXd& q) { pin::rnea(model, data, q, v, a); sink = data.tau[0]; });
  double jac = best([&](const Eigen::VectorXd& q) { pin::computeJointJacobians(model, data, q); loops(q); sink = J(0, 0); });
  double inverse = best([&](const Eigen::VectorXd& q) {
    pin::rnea(model, data, q, v, a);
    // rnea has placed the joints; the Jacobian's columns follow from them.
    pin::computeJointJacobians(model, data);
    loops(q);
    M24 lhs = M24::Zero();
    V24 rhs;
    for (int r = 0; r < 24; ++r) {
      rhs[r] = data.tau[rows[r]];
      lhs.row(r).tail<18>() = J.col(rows[r]).transpose();
    }
    for (int i = 0; i < 6; ++i) lhs(3 * i, i) = 1;
    V24 x = lhs.partialPivLu().solve(rhs);
    sink = x[0];
  });
  // Forward: M v̇ + b = B τ + Jᵀ λ, J v̇ = γ, by the Schur complement J M⁻¹ Jᵀ (18 × 18), M by Cholesky.
  double forward = best([&](const Eigen::VectorXd& q) {
    pin::crba(model, data, q);
    data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
    pin::nonLinearEffects(model, data, q, v);
    pin::computeJointJacobians(model, data);
    loops(q);
    Eigen::Matrix<double, 30, 30> M = data.M;
    Eigen::LLT<Eigen::Matrix<double, 30, 30>> llt(M);
    Eigen::Matrix<double, 30, 18> X = llt.solve(J.transpose());
    Eigen::Matrix<double, 18, 18> S = J * X;
    Eigen::Matrix<double, 18, 1> w = S.partialPivLu().solve(J * llt.solve(-data.nle));
    Eigen::Matrix<double, 30, 1> acc = llt.solve(-data.nle - J.transpose() * w);
    sink = acc[0];
  });
  printf("six rods, nv = %d: rnea %.0f ns, Jacobian %.0f ns, inverse dynamics in all %.0f ns, forward %.0f ns\n", n, tree, jac, inverse, forward);
}
