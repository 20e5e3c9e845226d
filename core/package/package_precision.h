// The number types in which a package's layers multiply: a field of its manifest.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct PackagePrecision {
  std::string name = "float32";  // or "bfloat16", "int8", or "mixed"
  // Numbers of layers with a chosen precision; all 0 if the whole model has the requested one.
  int64_t float32_layers = 0, bfloat16_layers = 0, int8_layers = 0;
  double error = 0;       // max |y - r| / max |r| of the outputs on calibration inputs; 0 if not measured
  double max_error = -1;  // the allowed error; below 0: any
  bool operator==(const PackagePrecision&) const = default;
};

}  // namespace hone
