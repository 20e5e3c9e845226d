// The inputs of a model for run, bench and verify.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/index_bounds.h"
#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

struct InputOptions {
  std::vector<std::string> files;   // NAME=FILE, a .npy or .pb file
  std::string fill = "random";      // of inputs without a file
  uint64_t seed = 0;                // of random and uniform
  std::vector<std::string> shapes;  // NAME=8,3,224,224: selects a package in a file for several shapes
  std::vector<std::string> dims;    // NAME=57: the extent of a free dimension of the package
  bool needs_dims = true;           // whether a package has to have every dimension of `dims`
};
// The shapes that the options give for the inputs of the package in a file. They are those of --shape and, if the file
// holds several packages, those of given tensors. Throws Error: kNoInput, kUsage for a text that is no shape, and what
// ReadTensorFile throws.
InputShapes ShapesAsked(const InputOptions& options, const std::string& package_path);

// An axis whose extent each run chooses, up to that in the shape.
struct InputRange {
  size_t axis = 0;
  std::string dimension;
  int64_t least = 1;
};
struct InputSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;                          // the largest
  IndexBounds indexes = {};             // bounds of its integers, if they are indices
  std::vector<InputRange> ranges = {};  // empty: the shape is fixed
  bool is_state = false;                // a session keeps it from run to run, and takes it by its name, too
};
// "1x(seq: 1..512)x768"
std::string ShapeTextOf(const InputSpec& spec);
// The inputs of a package, and then its states.
std::vector<InputSpec> InputSpecs(const Package& package);
// The inputs and states of a plan, without the bounds of integers.
std::vector<InputSpec> InputSpecs(const Plan& plan);

// Makes one tensor per input. Input i is filled from seed + i. Random integers of 32 and 64 bits are indices in range
// if they select elements, else 0 or 1, as in a mask. Free dimensions have the extents that the options give by files,
// --shape or --dim, and else the largest ones; those of states have the least. Throws Error(kUsage) for a file or
// --shape of an unknown input (with the nearest name), or of a wrong shape or dtype. Throws Error(kBadData), naming the
// dimension, for an extent out of its range or options that disagree on one. Throws Error(kIo) for inputs that do not
// fit into this machine's memory twice: a session holds them, too.
std::map<std::string, Tensor> MakeInputs(const std::vector<InputSpec>& specs, const InputOptions& options);

// Throws Error(kUsage), naming the input and --input, for an index out of range. A kernel would read the nearest
// element, and the reference would refuse the index.
void RequireIndicesInRange(const std::vector<InputSpec>& specs, const std::map<std::string, Tensor>& inputs);

// Reads a .npy file, or a .pb file with one ONNX TensorProto. Throws Error: kUsage for another ending, kNoInput,
// kBadData.
Tensor ReadTensorFile(const std::string& path);

}  // namespace hone
