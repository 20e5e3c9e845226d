// The distance between a signal and its reference.
#pragma once

#include "core/tensor.h"

namespace hone {

// Sums over all compared tensors.
class SignalError {
 public:
  // Adds two tensors of equal shape. A value that is not finite counts as an infinite error.
  void Add(const Tensor& got, const Tensor& reference);

  // Signal to quantisation noise, 10 log10 (sum r^2 / sum (y - r)^2); kExact if there is no noise.
  double sqnr_db() const;
  // Cosine of the angle between both; 1 if both are 0, 0 if only one is.
  double cosine() const;
  // max |y - r| / max |r|; absolute if the reference is 0.
  double largest() const;

  static constexpr double kExact = 200;  // decibels

 private:
  double signal_ = 0, noise_ = 0, got_ = 0, product_ = 0, worst_ = 0, most_ = 0;
};

}  // namespace hone
