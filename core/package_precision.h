// In which numbers a package's layers multiply: a field of its manifest.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct PackagePrecision {
  std::string name = "float32";  // or "bfloat16", "int8", or "mixed"
  // Of the layers that a precision was chosen for; all 0 where the whole model has the one that was asked for.
  int64_t float32_layers = 0, bfloat16_layers = 0, int8_layers = 0;
  double error = 0;       // of the outputs on calibration inputs, max |y - r| / max |r|; 0 where it was not measured
  double max_error = -1;  // that was allowed; below 0: whatever it is
  bool operator==(const PackagePrecision&) const = default;
};

}  // namespace hone
