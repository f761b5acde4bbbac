// One function that CasADi wrote (FUNCTION, in SOURCE): for one state (LANES 1), for one with all sines computed before by the vector sine of the
// C library (GIVEN), or for four or eight states side by side with that sine (LANES 4, 8; eight on processors with AVX-512).
#include <cmath>
#include <immintrin.h>

extern "C" __m256d _ZGVdN4v_sin(__m256d);
extern "C" __m256d _ZGVdN4v_cos(__m256d);
#ifdef __AVX512F__
extern "C" __m512d _ZGVeN8v_sin(__m512d);
extern "C" __m512d _ZGVeN8v_cos(__m512d);
#endif

#if LANES == 1
typedef double Real;
#else
#if LANES == 4
typedef __m256d Vector;
#define SIN _ZGVdN4v_sin
#define COS _ZGVdN4v_cos
#define SQRT _mm256_sqrt_pd
#define SET _mm256_set1_pd
#else
typedef __m512d Vector;
#define SIN _ZGVeN8v_sin
#define COS _ZGVeN8v_cos
#define SQRT _mm512_sqrt_pd
#define SET _mm512_set1_pd
#endif
struct Real {
  Vector v;
  Real() = default;
  Real(double s) : v(SET(s)) {}
  Real(Vector v) : v(v) {}
};
static inline Real operator+(Real a, Real b) { return a.v + b.v; }
static inline Real operator-(Real a, Real b) { return a.v - b.v; }
static inline Real operator*(Real a, Real b) { return a.v * b.v; }
static inline Real operator/(Real a, Real b) { return a.v / b.v; }
static inline Real operator-(Real a) { return -a.v; }
static inline Real sqrt(Real a) { return SQRT(a.v); }
static inline Real sin(Real a) { return SIN(a.v); }
static inline Real cos(Real a) { return COS(a.v); }
#endif
#ifdef GIVEN
static thread_local double sines[8] __attribute__((aligned(64))), cosines[8] __attribute__((aligned(64)));
#endif
#define casadi_real Real
#define CASADI_SYMBOL_EXPORT static
#include SOURCE

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
extern "C" void JOIN(FUNCTION, NAME)(const void *in, void *out) {
  const Real *numbers = static_cast<const Real *>(in);
  const Real *arguments[3] = {numbers, numbers + JOINTS, numbers + 2 * JOINTS};
  Real *results[1] = {static_cast<Real *>(out)};
#ifdef GIVEN
  for (int i = 0; i < JOINTS; i += 4) {
    const __m256i kept = _mm256_cmpgt_epi64(_mm256_set1_epi64x(JOINTS - i), _mm256_set_epi64x(3, 2, 1, 0));
    const __m256d angles = _mm256_maskload_pd(numbers + i, kept);
    _mm256_store_pd(sines + i, _ZGVdN4v_sin(angles));
    _mm256_store_pd(cosines + i, _ZGVdN4v_cos(angles));
  }
#endif
  FUNCTION(arguments, results, nullptr, nullptr, 0);
}
