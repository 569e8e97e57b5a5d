#include "kernels/optimized/fft/fft.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace executorch::kernels::fft {
namespace {

// exp(2 pi i k / n), from an angle in the first eighth of a turn.
Complex root(int64_t k, int64_t n) {
  constexpr double kPi = 3.14159265358979323846;
  const int64_t eighth = 8 * k / n;
  const auto angle = [&](int64_t part) {
    return kPi / 4 * (static_cast<double>(part) / static_cast<double>(n));
  };
  const int64_t rest = 8 * k - eighth * n;  // of n
  const double a = angle(eighth % 2 == 0 ? rest : n - rest);
  const double c = std::cos(a), s = std::sin(a);
  switch (eighth) {
    case 0:
      return {c, s};
    case 1:
      return {s, c};
    case 2:
      return {-s, c};
    case 3:
      return {-c, s};
    case 4:
      return {-c, -s};
    case 5:
      return {-s, -c};
    case 6:
      return {s, -c};
    default:
      return {c, -s};
  }
}

// The order in which factors are tried: 4, 2, 3, 5, 7, 9, ...
int64_t after(int64_t p) { return p == 4 ? 2 : p == 2 ? 3 : p + 2; }

// std::complex multiplies with care for infinities, which costs much.
Complex mul(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

// in[k] * w[k] convolved with conj(w), and times w again, is the transform, for
// w[k] = exp(sign * pi i * k * k / n).
struct Plan::Chirp {
  Plan forward, backward;
  int64_t size = 0;
  Scratch memory;
  Complex* w = nullptr;
  Complex* kernel = nullptr;  // transform of conj(w)
  Complex* work = nullptr;
};

Plan::Plan() = default;
Plan::~Plan() = default;

bool Plan::init(int64_t n, bool inverse) {
  n_ = n;
  inverse_ = inverse;
  int count = 0;
  int64_t rest = n;
  for (int64_t p = 4; rest > 1 && p <= kLargestFactor; p = after(p)) {
    for (; rest % p == 0; rest /= p) {
      factors_[count++] = static_cast<int>(p);
    }
  }
  if (rest > 1) {
    return init_chirp();
  }
  roots_ = memory_.array<Complex>(2 * n);
  if (roots_ == nullptr) {
    return false;
  }
  copy_ = roots_ + n;
  for (int64_t k = 0; k < n; ++k) {
    const Complex x = root(k, n);
    roots_[k] = inverse ? x : std::conj(x);
  }
  return true;
}

bool Plan::init_chirp() {
  chirp_.reset(new (std::nothrow) Chirp);
  if (chirp_ == nullptr) {
    return false;
  }
  Chirp& c = *chirp_;
  for (c.size = 1; c.size < 2 * n_ - 1; c.size *= 2) {
  }
  c.w = c.memory.array<Complex>(n_ + 2 * c.size);
  if (c.w == nullptr || !c.forward.init(c.size, false) ||
      !c.backward.init(c.size, true)) {
    return false;
  }
  c.kernel = c.w + n_;
  c.work = c.kernel + c.size;
  std::fill(c.kernel, c.kernel + c.size, Complex());
  for (int64_t k = 0, square = 0; k < n_; ++k) {
    const Complex x = root(square, 2 * n_);
    c.w[k] = inverse_ ? x : std::conj(x);
    c.kernel[k] = c.kernel[(c.size - k) % c.size] = std::conj(c.w[k]);
    square = (square + 2 * k + 1) % (2 * n_);
  }
  c.forward.run(c.kernel);
  return true;
}

void Plan::run(Complex* data) {
  if (chirp_ != nullptr) {
    run_chirp(data);
    return;
  }
  std::copy(data, data + n_, copy_);
  split(copy_, data, n_, 1, factors_);
}

void Plan::run_chirp(Complex* data) {
  Chirp& c = *chirp_;
  for (int64_t k = 0; k < n_; ++k) {
    c.work[k] = mul(data[k], c.w[k]);
  }
  std::fill(c.work + n_, c.work + c.size, Complex());
  c.forward.run(c.work);
  for (int64_t k = 0; k < c.size; ++k) {
    c.work[k] = mul(c.work[k], c.kernel[k]);
  }
  c.backward.run(c.work);
  const double scale = 1.0 / static_cast<double>(c.size);
  for (int64_t k = 0; k < n_; ++k) {
    data[k] = mul(c.work[k], c.w[k]) * scale;
  }
}

// n points of `in`, `stride` apart: p interleaved parts one after the other.
void Plan::split(const Complex* in, Complex* out, int64_t n, int64_t stride,
                 const int* factor) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = *factor, m = n / p;
  for (int64_t i = 0; i < p; ++i) {
    split(in + i * stride, out + i * m, m, stride * p, factor + 1);
  }
  combine(out, n, stride, p);
}

// Butterflies that join the transforms of p parts of n / p points.
void Plan::combine(Complex* out, int64_t n, int64_t stride, int64_t p) {
  const int64_t m = n / p;
  const int64_t turn = n_ / p;  // index of exp(2 pi i / p)
  for (int64_t k = 0; k < m; ++k) {
    Complex part[kLargestFactor];
    for (int64_t i = 0; i < p; ++i) {
      part[i] = mul(out[i * m + k], roots_[i * k * stride]);
    }
    for (int64_t j = 0; j < p; ++j) {
      Complex sum = part[0];
      for (int64_t i = 1; i < p; ++i) {
        sum += mul(part[i], roots_[i * j % p * turn]);
      }
      out[k + j * m] = sum;
    }
  }
}

}  // namespace executorch::kernels::fft
