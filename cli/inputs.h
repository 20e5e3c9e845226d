// The inputs that run, bench and verify feed a model with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/index_bounds.h"
#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

struct InputOptions {
  std::vector<std::string> files;   // NAME=FILE, FILE being .npy or .pb
  std::string fill = "random";      // of the inputs that no file is given for
  uint64_t seed = 0;                // of random and uniform
  std::vector<std::string> shapes;  // NAME=8,3,224,224: which one of a file for several shapes
};
// --input and --fill; the seed is the command's own option.
void AddInputOptions(CommandLine& line, InputOptions& options);
// --shape, for commands that take a package and no model.
void AddPackageShapeOption(CommandLine& line, InputOptions& options);

// The shapes that the options tell of the inputs of the package in a file: by --shape, and where the file holds several
// packages those of the tensors that are given. Throws Error: kNoInput, kUsage for a text that is no shape, and as
// ReadTensorFile does.
InputShapes ShapesAsked(const InputOptions& options, const std::string& package_path);

struct InputSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  IndexBounds indexes = {};  // how many elements its integers pick from
};
// A package's inputs.
std::vector<InputSpec> InputSpecs(const Package& package);

// One tensor per input. Input i is filled from seed + i. Random integers of 32 and 64 bits are indices in range where
// they pick elements, else 0 or 1, as in a mask. Throws Error(kUsage) for a file or --shape whose input is not there
// (with the nearest name), or whose shape or dtype does not fit.
std::map<std::string, Tensor> MakeInputs(const std::vector<InputSpec>& specs, const InputOptions& options);

// Throws Error(kUsage) for an input with an index out of range, naming it and --input: a kernel would read the nearest
// element, and the reference refuses.
void RequireIndicesInRange(const std::vector<InputSpec>& specs, const std::map<std::string, Tensor>& inputs);

// A .npy file, or a .pb file that holds one ONNX TensorProto. Throws Error: kUsage for another ending, kNoInput,
// kBadData.
Tensor ReadTensorFile(const std::string& path);

}  // namespace hone
