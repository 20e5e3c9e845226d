// If. A known condition leaves one branch; otherwise a run computes the branch that it takes.
#include <fmt/format.h>

#include "compiler/frontend/onnx/node_error.h"
#include "compiler/ops/control/onnx_choose.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The results of a branch. An error tells of the branch, because it may be meant for other inputs than the given ones.
std::vector<ExprPtr> ResultsOfBranch(const OnnxNodeView& view, const OnnxGraph& branch, const ExprPtr& taken) {
  try {
    const WhileTaken while_taken(view.builder(), taken);
    return view.Results(branch, {});
  } catch (const NodeError& error) {
    if (error.tells_of_branch()) throw;
    throw NodeError(error.code(),
                    fmt::format("{}; it is in a branch of \"{}\", whose condition is computed: --value NAME=NUMBER "
                                "makes a constant of the input that decides",
                                error.what(), view.node().name),
                    true);
  }
}

std::vector<ExprPtr> If(const OnnxNodeView& view) {
  const OnnxGraph &then = view.Body("then_branch"), &otherwise = view.Body("else_branch");
  if (const auto known = KnownCondition(view, view.Input(0))) return view.Results(*known ? then : otherwise, {});
  const ExprPtr runs_then = TakenIf(view, view.Input(0), true), runs_otherwise = TakenIf(view, view.Input(0), false);
  const std::vector<ExprPtr> taken = ResultsOfBranch(view, then, runs_then);
  const std::vector<ExprPtr> left = ResultsOfBranch(view, otherwise, runs_otherwise);
  if (taken.size() != left.size()) {
    RefuseNode(fmt::format("its branches have {} and {} outputs", taken.size(), left.size()));
  }
  std::vector<ExprPtr> results;
  results.reserve(taken.size());
  for (size_t i = 0; i < taken.size(); ++i) {
    results.push_back(Chosen(view, {runs_then, taken[i], runs_otherwise, left[i]}));
  }
  return results;
}

}  // namespace

OnnxOperatorTable ControlOperators() {
  return {{"If",
           1,
           1,
           If,
           {"then_branch", "else_branch"},
           {.becomes = "cast choose concatenate logical_not reshape", .takes_sequences = true}}};
}

}  // namespace hone
