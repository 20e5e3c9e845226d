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
  double scale = 1;     // max |reference|: worst is in units of it; 1 where it is 0
  double quantum = 0;   // the step from one value of a quantised output to the next; 0: it is not quantised
  double rounding = 0;  // as large as worst may be because values were rounded the other way; 0: not asked
  double element = 0;   // the largest |got - reference| of an element beside what is allowed there (element_errors.h)
  int64_t element_index = 0;
  bool agrees = true;  // worst <= the tolerance, or rounding; of a quantised output Quanta() <= AllowedQuanta(); and
                       // element <= 1

  // Of a quantised output: how many steps off the worst element is, and may be.
  double Quanta() const { return worst * scale / quantum; }
  double AllowedQuanta() const;
};

// Throws Error(kBadData) naming the output when the shapes differ. An all-zero reference is compared absolutely.
OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance);

}  // namespace hone
