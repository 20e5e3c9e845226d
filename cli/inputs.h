// The inputs that run, bench and verify feed a model with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace hone {

struct InputOptions {
  std::vector<std::string> files;  // NAME=FILE, FILE being .npy or .pb
  std::string fill = "random";     // of the inputs that no file is given for
  uint64_t seed = 0;               // of random and uniform
};
// --input and --fill; the seed is the command's own option.
void AddInputOptions(CommandLine& line, InputOptions& options);

struct InputSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
};
// A package's inputs.
std::vector<InputSpec> InputSpecs(const Plan& plan);

// One tensor per input. Input i is filled from seed + i. Throws Error(kUsage) for a file whose input is not there (with
// the nearest name), or whose shape or dtype does not fit.
std::map<std::string, Tensor> MakeInputs(const std::vector<InputSpec>& specs, const InputOptions& options);

// A .npy file, or a .pb file that holds one ONNX TensorProto. Throws Error: kUsage for another ending, kNoInput,
// kBadData.
Tensor ReadTensorFile(const std::string& path);

}  // namespace hone
