// Builds and runs one case, and compares.
#pragma once

#include <cstdint>
#include <string>

#include "tests/onnx_cases/case_pack.h"

namespace hone {

struct CaseResult {
  enum class Verdict : uint8_t {
    kRight = 0,
    kRightWithConstants = 1,  // where inputs are what models store: axes, sizes, pads, scales
    kRefused = 2,             // when it was imported, or by a run as bad data
    kWrong = 3,               // other numbers, or any other error
    kUnjudged = 4,            // it was not refused, and its tensors are not there
  };
  Verdict verdict = Verdict::kRight;
  std::string why;  // empty when right
};

// Never throws. Small integers that the importer has to know, and floats where an operator has to, are made constants
// in a second try.
CaseResult RunCase(const OnnxCase& one);

}  // namespace hone
