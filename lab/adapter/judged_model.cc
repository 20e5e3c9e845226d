#include "lab/adapter/judged_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/export/onnx_export.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "core/files/temporary_folder.h"
#include "core/text/printable.h"
#include "lab/adapter/adapter_tensor.h"
#include "lab/files/read_file.h"
#include "lab/verify/compare_outputs.h"
#include "lab/verify/judge_outputs.h"
#include "lab/verify/rounding_spread.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

// A runtime rounds where the bfloat16 reference does, and also where it stores values.
constexpr double kRoundedSlack = 4;
// float16 has three more bits of fraction than bfloat16.
constexpr double kOfBFloat16 = 1.0 / 8;

void AllowPrecision(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                    const std::string& precision, std::vector<OutputError>& errors) {
  const double slack = kRoundedSlack * (precision == "float16" ? kOfBFloat16 : 1);
  const std::vector<double> spread = BFloat16Spread(typed, inputs);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].rounding = slack * spread.at(i) + kVerifyTolerance;
    errors[i].agrees = errors[i].agrees || errors[i].worst <= errors[i].rounding;
  }
}

JudgedOutputs OtherForm(const std::string& why) {
  JudgedOutputs judged;
  judged.finding = JudgedOutputs::Finding::kDiffer;
  judged.error = std::numeric_limits<double>::infinity();
  judged.why = why;
  return judged;
}

}  // namespace

JudgedModel::JudgedModel(const ModelOptions& options, const Package& package, const InputOptions& inputs)
    : model_(LoadModel(options)), path_(options.model), inputs_(MakeInputs(InputSpecs(package), inputs)) {
  for (const InputSpec& spec : InputSpecs(package)) input_names_.push_back(spec.name);
  if (path_.ends_with(".onnx")) return;
  exported_.emplace((TemporaryFolder() / "hone-model").string(), 0600, ".onnx");
  path_ = exported_->path();
  if (!WriteAll(exported_->fd(), ExportOnnxBytes(model_.typed))) CannotWrite(path_, true);
}

std::string JudgedModel::OneFile() const {
  return model_.has_other_files ? ExportOnnxBytes(model_.typed) : ReadFile(path_);
}

Json JudgedModel::AdapterInputs() const {
  Json list = Json::array();
  for (const std::string& name : input_names_) list.push_back(AdapterTensor(name, inputs_.at(name)));
  return list;
}

const std::vector<Tensor>& JudgedModel::Reference() {
  if (reference_.empty()) reference_ = RunReference(model_.typed, inputs_);
  return reference_;
}

int64_t JudgedModel::OutputBytes() {
  int64_t bytes = 0;
  for (const Tensor& output : Reference()) bytes += output.size_bytes();
  return bytes;
}

JudgedOutputs JudgedModel::Judge(const std::vector<Tensor>& got, const std::string& precision) {
  const std::vector<Tensor>& reference = Reference();
  if (got.size() != reference.size()) {
    return OtherForm(fmt::format("it gives {}, and the model has {}", Counted(got.size(), "output"), reference.size()));
  }
  std::vector<OutputError> errors;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape() != reference[i].shape()) {
      return OtherForm(fmt::format("output {} is {}, and {} is right", i, ShapeText(got[i].shape()),
                                   ShapeText(reference[i].shape())));
    }
    errors.push_back(CompareOutput(fmt::format("output {}", i), got[i], reference[i], kVerifyTolerance));
  }
  const bool exact = AllAgree(errors);
  if (!exact && precision != "float32") AllowPrecision(model_.typed, inputs_, precision, errors);
  AllowRoundingSpread(model_.typed, inputs_, errors);
  TellLimits(model_.typed, inputs_, {}, errors);
  const auto worst = std::max_element(errors.begin(), errors.end(), [](const OutputError& a, const OutputError& b) {
    const auto rank = [](const OutputError& e) { return e.agrees ? 0 : e.cannot_tell ? 1 : 2; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.worst < b.worst;
  });
  JudgedOutputs judged;
  if (worst == errors.end()) return judged;
  judged.error = worst->worst;
  judged.allowed = std::max(kVerifyTolerance, worst->rounding);
  const std::string differs =
      fmt::format("{} differs from the float64 reference by {:.2g} of its largest value", worst->name, worst->worst);
  if (worst->cannot_tell) {
    judged.finding = JudgedOutputs::Finding::kCannotTell;
    judged.why = worst->worst <= worst->rounding
                     ? fmt::format("{}, and {} may change it by {:.2g}", differs, precision, judged.allowed)
                     : fmt::format("{}, and one rounding of the inputs moves it by {:.2g}", differs, worst->moves);
  } else if (!worst->agrees) {
    judged.finding = JudgedOutputs::Finding::kDiffer;
    judged.why = fmt::format("{}, at element {}", differs, worst->index);
  }
  return judged;
}

JudgedOutputs JudgedModel::Judge(Adapter& adapter) {
  const Json outputs = adapter.Outputs(OutputBytes());
  std::vector<Tensor> tensors;
  try {
    tensors = FromAdapterTensors(outputs);
  } catch (const Error& e) {
    adapter.Fail(ExitCode::kBadData, fmt::format("gives its outputs wrongly: {}", e.what()));
  }
  return Judge(tensors, adapter.precision());
}

}  // namespace hone
