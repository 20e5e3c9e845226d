// ONNX in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct OnnxImportOptions {
  std::map<std::string, Shape> shapes = {};  // overrides of input shapes, by input name
  std::map<std::string, int64_t> dims = {};  // of the inputs' free dimensions, by symbol
  // The most elements along an axis that a computed number makes as long as it says; 0: such axes are refused.
  int64_t max_dim = 0;
  std::map<std::string, double> values = {};        // inputs that always hold one number: constants, no longer inputs
  std::map<std::string, Tensor> initializers = {};  // in the place of the model's own of these names, likewise typed
  std::string initializers_origin = {};             // where those are from, for messages
  bool freeze = true;  // initializers become Constants; else parameters bound in the module
};

struct OnnxImportResult {
  relay::IRModule module;            // without types: run InferType
  std::vector<std::string> notices;  // e.g. that a symbolic batch was bound to 1
  // By node, the names of what it gives; without nodes that the model names as what they give.
  std::map<std::string, std::vector<std::string>> result_names;
  std::vector<std::string> external_files = {};  // the paths of the files beside the model's that were read
};

// Reads the model and its external data (beneath the model's own folder only; no links). Throws Error: kNoInput when
// there is no such file, kNotAuthorised when one may not be read, kUsage for shapes that are missing or contradict each
// other (InputShapes), kBadData for what is damaged or not supported, naming the node.
OnnxImportResult ImportOnnx(const std::string& path, const OnnxImportOptions& options = {});
// The same from bytes in memory; external data is refused.
OnnxImportResult ImportOnnxBytes(std::string_view bytes, const std::string& name,
                                 const OnnxImportOptions& options = {});

}  // namespace hone
