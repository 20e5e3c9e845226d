// MODEL on the command line: an .onnx file, a .relay file, or zoo:NAME.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"
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
  uint64_t seed = 0;                // of a zoo network's weights, and of whatever else the command draws
  std::vector<std::string> shapes;  // NAME=1,3,224,224 overrides an input of an .onnx file
  std::vector<std::string> dims;    // NAME=128: a free dimension of an .onnx file, wherever the name stands
  bool freeze = true;               // an .onnx file's initializers as constants; else as parameters that are bound
  std::string params;               // the .safetensors file of a .relay file's values; may be empty
  std::string other_values;         // a .safetensors file of values in the place of the model's own; may be empty
  int64_t max_dim = 0;              // of axes of an .onnx file that computed numbers make as long as they say; 0: none
  std::vector<std::string> values;  // NAME=16000: an input of an .onnx file that always holds this number
  std::vector<std::string> exact_layers;  // convolutions that get no kernel that trades accuracy for speed
};

// The positional MODEL and its options, bound to `options`. A command that has another --params names this one
// --params-file alone, as it is known everywhere.
inline constexpr const char* kParamsOption = "--params-file,--params";
void AddModelOptions(CommandLine& line, ModelOptions& options, const char* params_option = kParamsOption);
// All but the positional: for commands that take several models.
void AddModelDetails(CommandLine& line, ModelOptions& options, const char* params_option = kParamsOption);
// --batch, --classes, --image-shape, --layout and --seed alone, for commands that name a network otherwise.
void AddZooOptions(CommandLine& line, ModelOptions& options);
// --shape, --dim, --max-dim and --value alone.
void AddShapeOptions(CommandLine& line, ModelOptions& options);

struct Model {
  relay::IRModule untyped;  // as it was imported
  relay::IRModule typed;
  std::string name;  // MODEL as it was given
  // Of an .onnx file, by node: the names of what it gives, of those nodes that have another name themselves.
  std::map<std::string, std::vector<std::string>> result_names = {};
};
// Prints the importer's notices to stderr. Throws Error: kNoInput with the nearest zoo name when nothing is there,
// kUsage for options that do not belong to the kind of model, kBadData for a damaged model.
Model LoadModel(const ModelOptions& options);

// --shape, --dim, --max-dim and --value as the importer takes them. Throws Error(kUsage).
OnnxImportOptions ImportOptionsOf(const ModelOptions& options);
// MODEL as an ONNX graph that can be quantised; a zoo network or .relay file is exported. Throws Error as LoadModel,
// FloatModel and the export do.
FloatModel LoadFloatModel(const ModelOptions& options, QuantisedFor reader = QuantisedFor::kFile);

}  // namespace hone
