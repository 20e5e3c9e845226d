#include "compiler/frontend/onnx/unknown_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

// A row without an operator is for all others of the domain.
struct UnknownOperator {
  std::string_view domain, op_type, why;
};

constexpr std::string_view kSearch =
    "it repeats a decoder within the model; export the decoder alone, which `hone generate` repeats";
constexpr std::string_view kPlaced =
    "its domain is of one machine, for which ONNX Runtime saved the model at ORT_ENABLE_ALL; save it at "
    "ORT_ENABLE_EXTENDED";
constexpr std::string_view kPlugin = "it is a plugin of TensorRT; export the model without plugins";
constexpr std::string_view kContext = "it holds code for one accelerator; use the model from before it was compiled";

constexpr UnknownOperator kUnknown[] = {
    {"", "ImageDecoder", "hone decodes no images within a model; decode them outside, and export the rest"},
    {kMicrosoft, "BeamSearch", kSearch},
    {kMicrosoft, "GreedySearch", kSearch},
    {kMicrosoft, "Sampling", kSearch},
    {kMicrosoft, "WhisperBeamSearch", kSearch},
    {kMicrosoft, "EPContext", kContext},
    {kMicrosoft, "",
     "the operator of com.microsoft is not supported; use the model from before ONNX Runtime's optimizer"},
    {"com.microsoft.nchwc", "", kPlaced},
    {"com.ms.internal.nhwc", "", kPlaced},
    {"ai.onnx.contrib", "",
     "it is of onnxruntime-extensions; do its work (tokens, images) outside of the model, and export the rest"},
    {"org.pytorch.aten", "",
     "the exporter left an operator of PyTorch; torch.onnx.export(..., dynamo=True) writes those of ONNX"},
    {"com.nvidia.tensorrt", "", kPlugin},
    {"TRT", "", kPlugin},
    {"trt", "", kPlugin},
    {"mmdeploy", "", kPlugin},
    {"mmcv", "", kPlugin},
};

constexpr std::string_view kCut = "onnx.utils.extract_model cuts the model before it";

}  // namespace

std::string WhyUnknown(std::string_view domain, std::string_view op_type) {
  const auto row = std::ranges::find_if(kUnknown, [&](const UnknownOperator& each) {
    return each.domain == domain && (each.op_type.empty() || each.op_type == op_type);
  });
  if (row != std::end(kUnknown)) return std::string(row->why);
  if (domain.empty() || domain == kClassical || domain == kTraining) {
    std::vector<std::string> names;
    for (const std::string_view name : OnnxOperatorNames()) names.emplace_back(name);
    const std::string similar = DidYouMean(std::string(op_type), names);
    return fmt::format("the operator is not supported{}; {}, and docs/reference/onnx.md has those that are", similar,
                       kCut);
  }
  return fmt::format("the operator domain \"{}\" is not supported; {}, and functions in the file may define it", domain,
                     kCut);
}

std::string OperatorName(const OnnxNode& node) {
  return node.domain.empty() || node.domain == "ai.onnx" ? node.op_type : node.domain + "." + node.op_type;
}

std::string WayAround(std::string_view why) {
  // Words of refusals of what ONNX allows.
  constexpr std::string_view kLacks[] = {"counted in a run", "a run decides", "supported",         "the most",
                                         "at most",          "too large",     "differ in each run"};
  const bool lacks = std::ranges::any_of(kLacks, [&](std::string_view words) { return why.find(words) != why.npos; });
  return lacks && why.find(';') == why.npos ? fmt::format("; {}", kCut) : "";
}

bool LacksValue(const relay::ExprPtr& input, std::string_view why) {
  const bool of_value = why.find("must be known when the model is imported") != std::string_view::npos;
  if (!of_value || why.find("--value") != std::string_view::npos) return false;
  const relay::Var* var = relay::AsVar(input);
  return var != nullptr && !IsFloat(var->type->dtype);
}

}  // namespace hone
