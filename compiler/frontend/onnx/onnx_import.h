// Import of ONNX models.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The extents that a free dimension may have in a run. With least == most it is fixed.
struct DimRange {
  int64_t least = 1;
  int64_t most = 512;
};

// A free dimension has the model's name for it. One without a name is called INPUT_AXIS, such as ids_1.
struct OnnxImportOptions {
  std::map<std::string, Shape> shapes = {};     // overrides of input shapes, by input name
  std::map<std::string, int64_t> dims = {};     // for the inputs' free dimensions, by name
  std::map<std::string, DimRange> ranges = {};  // free dimensions that each run chooses, by name
  DimRange other_dims = {};                     // the range of free dimensions that are not named above
  // Upper bound of the elements along an axis whose extent the model computes; 0: such axes are refused.
  int64_t max_dim = 0;
  std::map<std::string, double> values = {};        // inputs that always hold one number: they become constants
  std::map<std::string, Tensor> initializers = {};  // replace the model's own of these names; same types
  std::string initializers_origin = {};             // their origin, for messages
  // Outputs that are inputs of the next run: "auto" finds them, IN=OUT names one (model_states.h); empty or "none":
  // none.
  std::vector<std::string> states = {};
  bool freeze = true;           // initializers become Constants; else parameters bound in the module
  uint64_t seed = 0;            // of random operators without a seed of their own
  std::string seed_input = {};  // if not empty: an int64 input of this name, which the model gets, seeds them instead
};

struct OnnxImportResult {
  relay::IRModule module;            // without types: run InferType
  std::vector<std::string> notices;  // e.g. that a symbolic batch was bound to 1
  // The names of a node's results, by node; omits nodes whose name is that of their result.
  std::map<std::string, std::vector<std::string>> result_names;
  std::vector<std::string> external_files = {};  // paths of the other files that were read
};

// Reads the model and its external data (only beneath the model's own folder; no links). Throws Error: kNoInput if
// there is no such file, kNotAuthorised if one may not be read, kUsage for missing or contradictory shapes
// (InputShapes). It is kBadData, naming the node, for damaged or unsupported models.
OnnxImportResult ImportOnnx(const std::string& path, const OnnxImportOptions& options = {});
// Reads the model from bytes in memory, with the same errors; external data is refused.
OnnxImportResult ImportOnnxBytes(std::string_view bytes, const std::string& name,
                                 const OnnxImportOptions& options = {});

}  // namespace hone
