// The error of outputs against the reference's, and the error that is allowed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/json/serialize.h"
#include "core/package/plan.h"
#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

struct OutputError {
  std::string name;
  double worst = 0;     // max |got - reference| / max |reference|; infinite if a NaN or an infinity differs
  int64_t index = 0;    // element with the largest error
  double scale = 1;     // max |reference|, the unit of worst; 1 if it is 0
  double quantum = 0;   // step between values of a quantised output; 0: not quantised
  double rounding = 0;  // largest worst that rounding the other way explains; 0: not computed
  double element = 0;   // the largest |got - reference| over the error allowed for that element (element_errors.h)
  int64_t element_index = 0;
  double moves = -1;         // by which the model's own output moves with its inputs' rounding; -1: not measured
  bool cannot_tell = false;  // as much as it differs, outputs of a right package may; it does not agree then
  bool agrees = true;        // worst <= tolerance or rounding, or Quanta() <= AllowedQuanta(); and element <= 1

  // For a quantised output: the worst element's error in steps, and the allowed number of steps.
  double Quanta() const { return worst * scale / quantum; }
  double AllowedQuanta() const;
};

bool AllAgree(const std::vector<OutputError>& errors);
// "agree", "differ" or "cannot tell", of all together.
std::string FindingOf(const std::vector<OutputError>& errors);

// Throws Error(kBadData), naming the output, if the shapes differ. An all-zero reference is compared absolutely.
OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance);

// Errors of outputs, as a table and as JSON.

// A line for each output. The error that rounding allows, and the element that exceeds its allowed error the most, are
// included if they were computed.
std::string ErrorsText(const std::vector<OutputError>& errors);
// JSON with the fields of docs/reference/cli.md.
Json ErrorsJson(const std::vector<OutputError>& errors);

// The tolerance for a package's outputs against its model's.

inline constexpr double kVerifyTolerance = 1e-4;

struct VerifyTolerance {
  double value = kVerifyTolerance;  // greatest allowed max |y - r| / max |r|
  // Source of the value for people, "given" or a property of the package; empty for the usual value.
  std::string from;
  bool is_budget = false;  // whether it is the error budget of the package's build, which includes all rounding
};

// The tolerance given by the user, else the one that the package's manifest states if a precision was chosen for its
// layers. That is the error budget of its build. Without a budget it is twice the error that the build measured,
// because the inputs differ from those, and at most 1. Neither is below kVerifyTolerance. Throws Error(kBadData),
// naming the package, if its manifest's precision is damaged.
VerifyTolerance ToleranceFor(std::optional<double> given, const Package& package, const std::string& name);

// Removes a trailing softmax: it compresses errors, so its inputs are compared instead.

// The module without the softmax that its only output ends in, and that softmax's attributes. The module is typed.
// WithoutTrailingSoftmax returns nullopt if there is no such softmax.
struct Logits {
  relay::IRModule module;
  relay::Attrs softmax;
};
std::optional<Logits> WithoutTrailingSoftmax(const relay::IRModule& typed);

// The softmax of the logits, by the operator's reference.
Tensor ApplySoftmax(const Tensor& logits, const relay::Attrs& attrs);

}  // namespace hone
