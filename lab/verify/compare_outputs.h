// The error of outputs against the reference's.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace hone {

struct OutputError {
  std::string name;
  double worst = 0;     // max |got - reference| / max |reference|; infinite if a NaN or an infinity differs
  int64_t index = 0;    // element with the largest error
  double scale = 1;     // max |reference|, the unit of worst; 1 if it is 0
  double quantum = 0;   // step between values of a quantised output; 0: not quantised
  double rounding = 0;  // largest worst that rounding the other way explains; 0: not computed
  double element = 0;   // the largest |got - reference| over the error allowed for that element (element_errors.h)
  int64_t element_index = 0;
  bool agrees = true;  // worst <= tolerance or rounding, or Quanta() <= AllowedQuanta(); and element <= 1

  // For a quantised output: the worst element's error in steps, and the allowed number of steps.
  double Quanta() const { return worst * scale / quantum; }
  double AllowedQuanta() const;
};

// Throws Error(kBadData), naming the output, if the shapes differ. An all-zero reference is compared absolutely.
OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance);

}  // namespace hone
