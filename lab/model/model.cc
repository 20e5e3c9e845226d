#include "lab/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "compiler/frontend/export/onnx_export.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/mark_calls.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/replace_values.h"
#include "compiler/relay/text/parser.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/spelling.h"
#include "lab/files/read_file.h"
#include "lab/files/safetensors.h"
#include "lab/files/write_file.h"
#include "lab/model/model_kind.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"

namespace hone {
namespace {

constexpr std::string_view kZoo = "zoo:";

std::map<std::string, Tensor> OtherValues(const ModelOptions& options) {
  if (options.other_values.empty()) return {};
  return ParseSafetensors(ReadFile(options.other_values), options.other_values);
}

bool IsOfOnnx(const ModelOptions& options) {
  return !options.shapes.empty() || !options.dims.empty() || options.max_dim != 0 || !options.values.empty() ||
         !options.states.empty() || !options.seed_input.empty();
}

Model LoadZoo(const ModelOptions& options) {
  if (IsOfOnnx(options)) {
    throw Error(ExitCode::kUsage,
                "--shape, --dim, --max-dim, --value, --state and --seed-input are for .onnx files; a zoo network "
                "takes --batch and --image-shape");
  }
  ZooOptions zoo;
  zoo.batch = options.batch;
  zoo.classes = options.classes;
  if (!options.image_shape.empty()) zoo.image_shape = ParseDims(options.image_shape, "--image-shape");
  zoo.layout = options.layout;
  zoo.seed = options.seed;
  Model model;
  model.untyped = BuildZoo(std::string_view(options.model).substr(kZoo.size()), zoo);
  ReplaceValues(model.untyped.params, OtherValues(options), options.other_values);
  return model;
}

// Splits NAME=VALUE at the last '=', because a name may contain one.
std::pair<std::string, std::string_view> SplitGiven(std::string_view text, const char* option, const char* right) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(ExitCode::kUsage, fmt::format("{} is given \"{}\"; right is {}", option, text, right));
  }
  return {std::string(text.substr(0, equals)), text.substr(equals + 1)};
}

void RequireOnce(bool is_new, const char* option, const std::string& name) {
  if (!is_new) throw Error(ExitCode::kUsage, fmt::format("{} is given twice for {}", option, name));
}

// LO..HI; absent for a text without dots.
std::optional<DimRange> ParseRange(const std::string& name, std::string_view text) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const int64_t least = ParseInteger(text.substr(0, dots)).value_or(-1);
  const int64_t most = ParseInteger(text.substr(dots + 2)).value_or(-1);
  if (least >= 0 && most >= 1 && most >= least && most <= kLargest) return DimRange{least, most};
  throw Error(
      ExitCode::kUsage,
      fmt::format("--dim is given \"{0}={1}\"; right is the least and the most extent, as in {0}=1..512", name, text));
}

int64_t ParseDim(const std::string& name, std::string_view text) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  const std::optional<int64_t> number = ParseInteger(text);
  if (number && *number >= 0 && *number <= kLargest) return *number;
  if (text.find(',') != std::string_view::npos) {
    throw Error(ExitCode::kUsage,
                fmt::format("--dim {0} is given several sizes, which `hone build` alone takes; one, or a range as in "
                            "{0}=1..512, would be right",
                            name));
  }
  throw Error(ExitCode::kUsage,
              fmt::format("--dim is given \"{0}={1}\"; right is {0}=128, or {0}=1..512 for a range", name, text));
}

double ParseValue(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw Error(ExitCode::kUsage, fmt::format("--value is given \"{}\"; right is a number", text));
}

bool IsOfZoo(const ModelOptions& options) {
  const ModelOptions defaults;
  return options.batch != defaults.batch || options.classes != defaults.classes ||
         options.image_shape != defaults.image_shape || options.layout != defaults.layout;
}

void RequireNoOthers(const ModelOptions& options) {
  if (!IsOfZoo(options) && !IsOfOnnx(options)) return;
  throw Error(ExitCode::kUsage,
              fmt::format("a .relay file has its shapes in its text: --batch, --classes, --image-shape, --layout, "
                          "--shape, --dim, --max-dim, --value, --state and --seed-input do not go with {}",
                          options.model));
}

// Also requires that it is a file of the kind.
void RequireNoZooOptions(const ModelOptions& options) {
  if (IsOfZoo(options)) {
    throw Error(ExitCode::kUsage,
                "--batch, --classes, --image-shape and --layout are for zoo: networks; an .onnx file takes --shape and "
                "--dim");
  }
  RequireOnnxFile(options.model);
}

// Notes files of weights beside the model's file as inputs, because no option names them.
void NoteExternal(const std::vector<std::string>& files) {
  for (const std::string& file : files) OutputGuard::Own().AddInput(file);
}

// Throws Error(kUsage) for a seed that no operator reads.
void RequireReadSeed(const relay::IRModule& module, const ModelOptions& options) {
  if (options.seed_input.empty()) return;
  const auto uses = relay::CountUses(module.main->body);
  for (const auto& param : module.main->params) {
    if (param->name != options.seed_input || uses.contains(param.get())) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("--seed-input {}: no operator of {} draws random numbers without a seed of its own",
                            options.seed_input, options.model));
  }
}

Model LoadOnnx(const ModelOptions& options) {
  RequireNoZooOptions(options);
  OnnxImportOptions import = ImportOptionsOf(options);
  import.freeze = options.freeze;
  import.initializers = OtherValues(options);
  import.initializers_origin = options.other_values;
  OnnxImportResult result = ImportOnnx(options.model, import);
  for (const std::string& notice : result.notices) Note("note: {}\n", notice);
  NoteExternal(result.external_files);
  RequireReadSeed(result.module, options);
  Model model;
  model.untyped = std::move(result.module);
  model.result_names = std::move(result.result_names);
  model.has_other_files = !result.external_files.empty();
  return model;
}

}  // namespace

OnnxImportOptions ImportOptionsOf(const ModelOptions& options) {
  OnnxImportOptions import;
  for (const std::string& text : options.shapes) {
    const auto [name, dims] = SplitGiven(text, "--shape", "NAME=1,3,224,224");
    RequireOnce(import.shapes.emplace(name, ParseDims(dims, "--shape")).second, "--shape", name);
  }
  for (const std::string& text : options.dims) {
    const auto [name, dims] = SplitGiven(text, "--dim", "NAME=128 or NAME=1..512");
    const bool is_new = import.dims.count(name) == 0 && import.ranges.count(name) == 0;
    RequireOnce(is_new, "--dim", name);
    if (const auto range = ParseRange(name, dims)) {
      import.ranges[name] = *range;
    } else {
      import.dims[name] = ParseDim(name, dims);
    }
  }
  import.max_dim = options.max_dim;
  import.states = options.states;
  import.seed = options.seed;
  import.seed_input = options.seed_input;
  for (const std::string& text : options.values) {
    const auto [name, number] = SplitGiven(text, "--value", "NAME=16000");
    RequireOnce(import.values.emplace(name, ParseValue(number)).second, "--value", name);
  }
  return import;
}

namespace {

std::vector<std::string> NamesOfConvolutions(const relay::IRModule& module) {
  std::vector<std::string> names;
  relay::PostOrderVisit(module.main->body, [&](const relay::ExprPtr& expr) {
    if (IsConvolution(expr)) names.push_back(relay::AsCall(expr)->name);
  });
  return names;
}

relay::IRModule WithExactLayers(const relay::IRModule& module, const std::vector<std::string>& layers) {
  const std::vector<std::string> names = NamesOfConvolutions(module);
  for (const std::string& layer : layers) {
    if (std::find(names.begin(), names.end(), layer) != names.end()) continue;
    throw Error(ExitCode::kUsage, fmt::format("--exact-layer {}: the model has no convolution of that name{}", layer,
                                              DidYouMean(layer, names)));
  }
  return KeepExact(module, {layers.begin(), layers.end()});
}

Model Typed(Model model, const std::string& name) {
  model.name = name;
  model.untyped.name = name;
  model.typed = relay::InferType(model.untyped);
  return model;
}

bool IsReadAsExported(const ModelOptions& options) {
  OnnxImportOptions import = ImportOptionsOf(options);
  import.shapes.clear();
  try {
    relay::InferType(ImportOnnx(options.model, import).module);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Model LoadTypedOnnx(const ModelOptions& options) {
  try {
    return Typed(LoadOnnx(options), options.model);
  } catch (const Error& error) {
    if (options.shapes.empty() || error.code() != ExitCode::kBadData || !IsReadAsExported(options)) throw;
    throw Error(error.code(), fmt::format("{}; the model has this size fixed within, which --shape does not change: an "
                                          "export with dynamic_axes would be right",
                                          error.what()));
  }
}

Model LoadTyped(const ModelOptions& options) {
  const bool zoo = options.model.rfind(kZoo, 0) == 0;
  if (IsRelayFile(options.model)) {
    RequireNoOthers(options);
    return LoadRelay(options.model, options.params, OtherValues(options), options.other_values);
  }
  if (!options.params.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("--params is for .relay files, whose text holds no values; {} is none", options.model));
  }
  return zoo ? Typed(LoadZoo(options), options.model) : LoadTypedOnnx(options);
}

}  // namespace

Model LoadModel(const ModelOptions& options) {
  Model model = LoadTyped(options);
  if (options.exact_layers.empty()) return model;
  model.untyped = WithExactLayers(model.untyped, options.exact_layers);
  model.typed = WithExactLayers(model.typed, options.exact_layers);
  return model;
}

std::pair<std::string, std::string> SplitLayer(const std::string& what) {
  const bool zoo = what.rfind(kZoo, 0) == 0;
  if (zoo || !IsThere(what)) {
    const size_t first = what.find(':', zoo ? kZoo.size() : 0);
    size_t colon = zoo ? first : what.rfind(':');
    while (colon != first && colon != std::string::npos && !IsThere(what.substr(0, colon))) {
      colon = what.rfind(':', colon - 1);
    }
    if (colon != std::string::npos) return {what.substr(0, colon), what.substr(colon + 1)};
  }
  return {what, ""};
}

FloatModel LoadFloatModel(const ModelOptions& options, QuantisedFor reader) {
  if (options.model.rfind(kZoo, 0) == 0 || IsRelayFile(options.model)) {
    return FloatModel::FromBytes(ExportOnnxBytes(LoadModel(options).typed), options.model, reader);
  }
  RequireNoZooOptions(options);
  FloatModel model = FloatModel::Read(options.model, reader);
  NoteExternal(model.external_files());
  return model;
}

namespace {

using TensorsByName = std::map<std::string, Tensor>;

// An unused value most likely has a name that is spelled differently in the text.
void RequireAllUsed(const relay::ParsedModule& parsed, const std::string& text_file, const std::string& values_file) {
  if (parsed.unused.empty()) return;
  std::vector<std::string> names;
  for (const auto& param : parsed.module.main->params) names.push_back(param->name);
  const std::string& name = parsed.unused[0];
  throw Error(ExitCode::kBadData, fmt::format("{} holds {}, which {} has no place for{}", values_file, name, text_file,
                                              DidYouMean(name, names)));
}

TensorsByName Overlaid(const TensorsByName& own, const TensorsByName& others, const std::string& origin) {
  std::vector<std::pair<std::string, Tensor>> all(own.begin(), own.end());
  ReplaceValues(all, others, origin);
  return {all.begin(), all.end()};
}

}  // namespace

bool IsRelayFile(const std::string& path) { return path.ends_with(".relay"); }

Model LoadRelay(const std::string& path, const std::string& params) { return LoadRelay(path, params, {}, ""); }

Model LoadRelay(const std::string& path, const std::string& params, const TensorsByName& others,
                const std::string& origin) {
  const std::string text = ReadFile(path);
  const TensorsByName values =
      params.empty() ? others : Overlaid(ParseSafetensors(ReadFile(params), params), others, origin);
  const relay::ParsedModule parsed = relay::ParseModule(text, path, values);
  RequireAllUsed(parsed, path, params.empty() ? origin : params);
  return {parsed.module, relay::InferParsed(parsed), path, {}};
}

}  // namespace hone
