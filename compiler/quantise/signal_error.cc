#include "compiler/quantise/signal_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {

void SignalError::Add(const Tensor& got, const Tensor& reference) {
  for (int64_t i = 0; i < reference.elements(); ++i) {
    const double y = got.At(i), r = reference.At(i), error = std::fabs(y - r);
    signal_ += r * r;
    got_ += y * y;
    product_ += y * r;
    noise_ += error * error;
    worst_ = std::max(worst_, std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
    most_ = std::max(most_, std::fabs(r));
  }
}

double SignalError::sqnr_db() const {
  if (noise_ == 0) return kExact;
  if (!std::isfinite(worst_)) return -kExact;
  return std::clamp(10 * std::log10(signal_ / noise_), -kExact, kExact);
}

double SignalError::cosine() const {
  if (signal_ == 0 || got_ == 0) return signal_ == got_ ? 1 : 0;
  return std::isfinite(worst_) ? product_ / std::sqrt(signal_ * got_) : 0;
}

double SignalError::largest() const { return most_ > 0 ? worst_ / most_ : worst_; }

}  // namespace hone
