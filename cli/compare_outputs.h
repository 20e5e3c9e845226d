// How far outputs are from the reference's.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace hone {

struct OutputError {
  std::string name;
  double worst = 0;     // max |got - reference| / max |reference|; infinite when a NaN or an infinity differs
  int64_t index = 0;    // of the element that is furthest off
  double rounding = 0;  // as large as worst may be because values were rounded the other way; 0: not asked
  bool agrees = true;   // worst <= the tolerance, or rounding
};

// Throws Error(kBadData) naming the output when the shapes differ. An all-zero reference is compared absolutely.
OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance);

}  // namespace hone
