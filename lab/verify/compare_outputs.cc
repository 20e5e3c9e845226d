#include "lab/verify/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

double OutputDistance(double got, double reference) {
  if (std::isfinite(got) && std::isfinite(reference)) return std::fabs(got - reference);
  const bool same = got == reference || (std::isnan(got) && std::isnan(reference));
  return same ? 0 : std::numeric_limits<double>::infinity();
}

double LargestFinite(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isfinite(tensor.At(i))) largest = std::max(largest, std::fabs(tensor.At(i)));
  }
  return largest;
}

}  // namespace

// Rounds up to whole steps, because less than one step is a step of a channel with a smaller scale. The hundredth
// allows for the rounding of floats.
double OutputError::AllowedQuanta() const { return std::ceil(rounding * scale / quantum - 0.01); }

bool AllAgree(const std::vector<OutputError>& errors) {
  return std::all_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.agrees; });
}

std::string FindingOf(const std::vector<OutputError>& errors) {
  if (AllAgree(errors)) return "agree";
  const bool differ =
      std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return !e.agrees && !e.cannot_tell; });
  return differ ? "differ" : "cannot tell";
}

OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance) {
  if (got.shape() != reference.shape()) {
    throw Error(ExitCode::kBadData, fmt::format("output {} is {}, and is compared with {}", name,
                                                ShapeText(got.shape()), ShapeText(reference.shape())));
  }
  OutputError error;
  error.name = name;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double distance = OutputDistance(got.At(i), reference.At(i));
    if (distance > error.worst) {
      error.worst = distance;
      error.index = i;
    }
  }
  const double largest = LargestFinite(reference);
  if (largest > 0) error.scale = largest;
  error.worst /= error.scale;
  error.agrees = error.worst <= tolerance;
  return error;
}

namespace {

std::string RoundingText(const OutputError& e) {
  if (e.quantum == 0) return fmt::format("{:.2e}", e.rounding);
  return fmt::format("{:.3g} of {:.3g} steps of {:.3g}", e.Quanta(), e.AllowedQuanta(), e.quantum);
}

}  // namespace

Json ErrorsJson(const std::vector<OutputError>& errors) {
  Json outputs = Json::array();
  for (const OutputError& e : errors) {
    Json json = {{"name", e.name},     {"worst", FiniteOrInf(e.worst)},
                 {"index", e.index},   {"rounding", FiniteOrInf(e.rounding)},
                 {"agrees", e.agrees}, {"finding", FindingOf({e})}};
    if (e.moves >= 0) json["moves"] = FiniteOrInf(e.moves);
    if (e.element > 0) {
      json["element"] = FiniteOrInf(e.element);
      json["element_index"] = e.element_index;
    }
    if (e.quantum > 0) {
      json["quantum"] = e.quantum;
      json["quanta"] = FiniteOrInf(e.Quanta());
      json["allowed_quanta"] = FiniteOrInf(e.AllowedQuanta());
    }
    outputs.push_back(std::move(json));
  }
  return outputs;
}

std::string ErrorsText(const std::vector<OutputError>& errors) {
  const bool rounding =
      std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.rounding > 0 || e.quantum > 0; });
  std::vector<std::string> head = {"output", "> max|y-r|/max|r|", "> at element"};
  if (rounding) head.emplace_back("> rounding allows");
  const bool elements = std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.element > 0; });
  if (elements) head.insert(head.end(), {"> element's error/allowed", "> at element"});
  const bool moves = std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.moves >= 0; });
  if (moves) head.emplace_back("> inputs' rounding moves it");
  head.emplace_back("verdict");
  Table table(std::move(head));
  for (const OutputError& e : errors) {
    std::vector<std::string> row = {e.name, fmt::format("{:.2e}", e.worst), fmt::format("{}", e.index)};
    if (rounding) row.push_back(RoundingText(e));
    if (elements) row.insert(row.end(), {fmt::format("{:.2e}", e.element), fmt::format("{}", e.element_index)});
    if (moves) row.push_back(e.moves >= 0 ? fmt::format("{:.2e}", e.moves) : "-");
    row.emplace_back(e.agrees ? "agrees" : e.cannot_tell ? "cannot tell" : "DIFFERS");
    table.Add(std::move(row));
  }
  return table.ToText();
}

namespace {

PackagePrecision PrecisionOf(const Package& package, const std::string& name) {
  const auto found = package.manifest().find("precision");
  if (found == package.manifest().end()) return {};
  try {
    return PackagePrecisionFromJson(*found);
  } catch (const Error& error) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the manifest's precision: {}", name, error.what()));
  }
}

}  // namespace

VerifyTolerance ToleranceFor(std::optional<double> given, const Package& package, const std::string& name) {
  if (given) return {*given, "given"};
  const PackagePrecision precision = PrecisionOf(package, name);
  const bool chosen = precision.float32_layers + precision.bfloat16_layers + precision.int8_layers > 0;
  if (!chosen) return {};
  if (precision.max_error >= 0) {
    return {std::max(precision.max_error, kVerifyTolerance), "the error that the package was built within", true};
  }
  return {std::clamp(2 * precision.error, kVerifyTolerance, 1.0), "twice the error that the package's build measured"};
}

std::optional<Logits> WithoutTrailingSoftmax(const relay::IRModule& typed) {
  const relay::Call* softmax = relay::AsCallTo(typed.main->body, "nn.softmax");
  if (softmax == nullptr) return std::nullopt;
  Logits logits;
  logits.softmax = softmax->attrs;
  logits.module = typed;
  logits.module.main = relay::WithFields(*typed.main, typed.main->params, softmax->args[0]);
  logits.module = relay::InferType(logits.module);
  return logits;
}

Tensor ApplySoftmax(const Tensor& logits, const relay::Attrs& attrs) {
  return relay::FindOp("nn.softmax")->reference({logits}, attrs).at(0);
}

}  // namespace hone
