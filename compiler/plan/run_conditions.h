// The numbers of a plan, 0 or 1, by which a run takes the branches of `choose`.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "compiler/plan/param_bytes.h"
#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

inline constexpr const char* kChoose = "choose";
inline constexpr size_t kRunsThen = 0, kThen = 1, kRunsOtherwise = 2, kOtherwise = 3;  // its arguments

// A condition is the number of its buffer.
inline constexpr int kAlways = -1;  // holds in each run

// `functions` has the function of each call. Borrows its arguments.
class RunConditions {
 public:
  RunConditions(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params);

  std::vector<PlanView> Results(size_t call) const;
  const PlanView& Operand(size_t call, size_t argument) const;
  // The buffer of the view if a plan may read it as an extent.
  std::optional<int> ConditionOf(const PlanView& view) const;
  // The first call that writes the buffer; nullopt if none does.
  std::optional<size_t> WriterOf(int buffer) const;
  // The condition around another: where it is 0 the other one is, too. kAlways if there is none.
  int Outer(int condition) const;
  // Whether each run in which `inner` holds is one in which `outer` holds.
  bool Implies(int inner, int outer) const;

 private:
  bool IsZero(const PlanView& view) const;

  const Plan& plan_;
  const std::vector<relay::FunctionPtr>& functions_;
  const ParamBytes& params_;
  std::map<int, size_t> writer_;
};

}  // namespace hone
