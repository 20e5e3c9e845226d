// Builds and runs one case, and compares.
#pragma once

#include <cstdint>
#include <string>

#include "tests/onnx_cases/case_pack.h"

namespace hone {

struct CaseResult {
  enum class Verdict : uint8_t {
    kRight = 0,
    kRightWithConstants = 1,  // right once inputs that real models store became constants: axes, sizes, pads, scales
    kRefused = 2,             // by the importer, or by a run as bad data
    kWrong = 3,               // wrong numbers, or any other error
    kUnjudged = 4,            // not refused, but expected tensors are missing
  };
  Verdict verdict = Verdict::kRight;
  std::string why;  // empty when right
};

// Never throws. A second try makes constants of small integers that the importer must know, and of floats where an
// operator requires them.
CaseResult RunCase(const OnnxCase& one);

}  // namespace hone
