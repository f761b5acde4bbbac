// One function that CasADi wrote (FUNCTION, in SOURCE), for one state (LANES 1) or for four with the vector sine of the C library (LANES 4).
#include <cmath>

#if LANES == 1
typedef double Real;
#else
#include <immintrin.h>
extern "C" __m256d _ZGVdN4v_sin(__m256d);
extern "C" __m256d _ZGVdN4v_cos(__m256d);
struct Real {
  __m256d v;
  Real() = default;
  Real(double s) : v(_mm256_set1_pd(s)) {}
  Real(__m256d v) : v(v) {}
};
static inline Real operator+(Real a, Real b) { return a.v + b.v; }
static inline Real operator-(Real a, Real b) { return a.v - b.v; }
static inline Real operator*(Real a, Real b) { return a.v * b.v; }
static inline Real operator/(Real a, Real b) { return a.v / b.v; }
static inline Real operator-(Real a) { return -a.v; }
static inline Real sqrt(Real a) { return _mm256_sqrt_pd(a.v); }
static inline Real sin(Real a) { return _ZGVdN4v_sin(a.v); }
static inline Real cos(Real a) { return _ZGVdN4v_cos(a.v); }
#endif
#define casadi_real Real
#define CASADI_SYMBOL_EXPORT static
#include SOURCE

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
extern "C" void JOIN(FUNCTION, LANES)(const void *in, void *out) {
  const Real *numbers = static_cast<const Real *>(in);
  const Real *arguments[3] = {numbers, numbers + JOINTS, numbers + 2 * JOINTS};
  Real *results[1] = {static_cast<Real *>(out)};
  FUNCTION(arguments, results, nullptr, nullptr, 0);
}
