// The items and kernels that a plan's calls leave out or exchange at the extents of a run.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/passes/graph/needed_extents.h"
#include "compiler/plan/kernel_table.h"
#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

// The buffers of an expression of @main, one view per result.
using ExprViews = std::unordered_map<const relay::Expr*, std::vector<PlanView>>;
// The plan's call of a call of @main. One that writes nothing has none.
using CallNumbers = std::unordered_map<const relay::Expr*, size_t>;

// The post order of @main's body. Numbers that are computed from the extents of a run alone come first, so that every
// call can end by them. Without ranged inputs it is the usual one.
std::vector<relay::ExprPtr> OrderOf(const relay::Function& main);

// The arguments must outlive the object. The plan has all of its buffers and calls.
class CallExtents {
 public:
  CallExtents(const relay::IRModule& module, const NeededExtents& needed, const ExprViews& views,
              const CallNumbers& call_of, Plan& plan)
      : module_(module), needed_(needed), views_(views), call_of_(call_of), plan_(plan) {}

  // Adds a parameter to the plan, or finds an equal one. Returns its buffer.
  using ParamBuffer = std::function<int(const relay::Constant& constant)>;
  // Adds the kernels of variants behind all others, in the order of calls, and the parameters that only they read.
  // `order` is @main's, and `functions` has the function of each call of the plan. Does nothing for a model without
  // ranged inputs.
  void AddVariants(const std::vector<relay::ExprPtr>& order, const std::vector<relay::FunctionPtr>& functions,
                   KernelTable& kernels, const ParamBuffer& param);
  // Sets the items that each call and variant needs. `copies` has the calls that copy a value, with its needed part.
  // The kernels are compiled. Raises the plan's version where that is needed.
  void AddBoxes(const KernelTable& kernels, const std::map<size_t, NeededAxes>& copies);

 private:
  // The buffer where a call can read the extent; nullopt if there is none yet.
  std::optional<int> ExtentBufferAt(size_t call, const relay::ExprPtr& extent) const;

  const relay::IRModule& module_;
  const NeededExtents& needed_;
  const ExprViews& views_;
  const CallNumbers& call_of_;
  Plan& plan_;
};

}  // namespace hone
