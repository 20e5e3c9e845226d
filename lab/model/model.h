// The argument MODEL: an .onnx file, a .relay file, or zoo:NAME.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/relay/expr.h"

namespace hone {

struct ModelOptions {
  std::string model;
  int64_t batch = 1;
  int64_t classes = 0;              // 0: the network's own
  std::string image_shape;          // empty: the network's own
  std::string layout = "NCHW";      // of a zoo network's images: NCHW or NHWC
  uint64_t seed = 0;                // of a zoo network's weights, and of all else that the command draws
  std::vector<std::string> shapes;  // NAME=1,3,224,224: replaces an input's shape of an .onnx file
  // NAME=128: a symbolic dimension of an .onnx file, wherever the name occurs; NAME=1..512: a range that runs choose in
  std::vector<std::string> dims;
  bool freeze = true;                     // an .onnx file's initializers become constants; otherwise bound parameters
  std::string params;                     // .safetensors file with a .relay file's values; may be empty
  std::string other_values;               // .safetensors file of values that replace the model's own; may be empty
  int64_t max_dim = 0;                    // bound of an .onnx file's axes with runtime extents; 0: these are refused
  std::vector<std::string> values;        // NAME=16000: an input of an .onnx file that always holds this number
  std::vector<std::string> states;        // auto, none or IN=OUT: an .onnx file's outputs that its next run reads
  std::string seed_input;                 // name of an input that seeds an .onnx file's random operators; may be empty
  std::vector<std::string> exact_layers;  // convolutions that get no kernel that trades accuracy for speed
};

struct Model {
  relay::IRModule untyped;  // as imported
  relay::IRModule typed;
  std::string name;  // MODEL as given
  // For nodes of an .onnx file whose name differs from their results' names: those names, by node.
  std::map<std::string, std::vector<std::string>> result_names = {};
  bool has_other_files = false;  // whether weights lie in files beside the model's
};
// Loads the model, and prints the importer's notices to stderr. Throws Error(kNoInput), with the nearest zoo name, if
// it does not exist. Throws Error: kUsage for options that do not fit the kind of model; kBadData for a damaged model.
Model LoadModel(const ModelOptions& options);

// Splits MODEL[:LAYER]. A zoo network's name has a colon, and the names of files and layers may have some: MODEL is
// then the longest part before a colon that exists. The layer is empty if none is given.
std::pair<std::string, std::string> SplitLayer(const std::string& what);

// --shape, --dim, --max-dim, --value, --state and the seeds in the importer's form. Throws Error(kUsage).
OnnxImportOptions ImportOptionsOf(const ModelOptions& options);
// MODEL as an ONNX graph that can be quantised; a zoo network or .relay file is exported. Throws Error as LoadModel,
// FloatModel and the export do.
FloatModel LoadFloatModel(const ModelOptions& options, QuantisedFor reader = QuantisedFor::kFile);

// A model as a .relay file: Relay's text, with a .safetensors file of the values that the text omits.

// Whether the path's ending is that of a .relay file.
bool IsRelayFile(const std::string& path);

// If `params` is empty, parameters are inputs, and constants other than scalars are refused. Throws Error(kNoInput) for
// a missing file. Throws Error(kBadData) for a damaged one; errors in the text have line and column. Also kBadData,
// with the nearest name, for a value without a place in the text.
Model LoadRelay(const std::string& path, const std::string& params);
// Loads it with `others`, from the file `origin`, replacing values of `params`; without `params` they are the only
// values. Also throws as ReplaceValues (compiler/relay/replace_values.h) does.
Model LoadRelay(const std::string& path, const std::string& params, const std::map<std::string, Tensor>& others,
                const std::string& origin);

}  // namespace hone
