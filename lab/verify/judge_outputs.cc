#include "lab/verify/judge_outputs.h"

#include <algorithm>
#include <optional>

#include "lab/verify/element_errors.h"
#include "lab/verify/rounding_spread.h"

namespace hone {
namespace {

bool StoresBFloat16(const Plan& plan) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const PlanBuffer& buffer) { return buffer.dtype == DType::kBFloat16; });
}

// A package of bfloat16 rounds where the bfloat16 reference does, and also where values are stored.
constexpr double kBFloat16Slack = 4;
void AllowBFloat16(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                   std::vector<OutputError>& errors) {
  const std::vector<double> spread = BFloat16Spread(typed, inputs);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].rounding = kBFloat16Slack * spread.at(i);
    errors[i].agrees = errors[i].agrees || errors[i].worst <= errors[i].rounding;
  }
}

// The package's way to store weights and rows; nullopt if it is the model's.
std::optional<PackageFacts::Built> RoundedOperands(const Package& package) {
  const auto built = FactsOf(package.manifest()).built;
  const bool rounds = built && (built->weights != StoredWeights::kFloat32 || built->byte_rows);
  return rounds ? built : std::nullopt;
}

// Stored weights move the outputs as they move the reference's; summation errors come on top.
constexpr double kStoredWeightsSlack = 2;
void AllowStoredWeights(const relay::IRModule& typed, const Plan& plan, const PackageFacts::Built& built,
                        const std::map<std::string, Tensor>& inputs, std::vector<OutputError>& errors) {
  const std::vector<double> spread = StoredWeightsSpread(typed, plan, built, inputs);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].rounding = kStoredWeightsSlack * spread.at(i) + kVerifyTolerance;
    errors[i].agrees = errors[i].agrees || errors[i].worst <= errors[i].rounding;
  }
}

}  // namespace

void AllowRounding(const relay::IRModule& typed, const Package& package, const std::map<std::string, Tensor>& inputs,
                   const VerifyTolerance& tolerance, std::vector<OutputError>& errors) {
  if (AllAgree(errors)) return;
  if (StoresBFloat16(package.plan()) && !tolerance.is_budget) AllowBFloat16(typed, inputs, errors);
  if (const auto built = RoundedOperands(package)) AllowStoredWeights(typed, package.plan(), *built, inputs, errors);
  AllowRoundingSpread(typed, inputs, errors);
}

void JudgeElements(const relay::IRModule& typed, const Package& package, const std::map<std::string, Tensor>& inputs,
                   const VerifyTolerance& tolerance, const std::vector<Tensor>& got,
                   const std::vector<Tensor>& expected, std::vector<OutputError>& errors) {
  const bool floats = !StoresBFloat16(package.plan()) && !RoundedOperands(package) && !tolerance.is_budget;
  if (!AllAgree(errors) || !floats || !IsContinuous(typed)) return;
  const auto elements = ElementErrors(typed, inputs, got, expected, tolerance.value);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].element = elements[i].excess;
    errors[i].element_index = elements[i].index;
    errors[i].agrees = elements[i].excess <= 1;
  }
}

void TellLimits(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                const VerifyTolerance& tolerance, std::vector<OutputError>& errors) {
  constexpr double kMostAllowed = 0.5, kInputSlack = 4;
  const bool tells = tolerance.from == "given" || tolerance.value < kMostAllowed;
  const double certain = tells ? tolerance.value : kVerifyTolerance;
  const auto is_certain = [&](const OutputError& e) { return e.worst <= certain; };
  if (std::all_of(errors.begin(), errors.end(), is_certain)) return;
  const std::vector<double> moves = InputSpread(typed, inputs);
  for (size_t i = 0; i < errors.size(); ++i) {
    OutputError& e = errors[i];
    e.moves = moves.at(i);
    if (is_certain(e)) continue;
    const bool allowed_all = e.agrees && (!tells || e.rounding >= kMostAllowed);
    const bool moves_as_much = !e.agrees && e.worst <= kInputSlack * e.moves;
    e.cannot_tell = allowed_all || moves_as_much;
    e.agrees = e.agrees && !e.cannot_tell;
  }
}

}  // namespace hone
