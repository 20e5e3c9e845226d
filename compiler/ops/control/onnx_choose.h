// Values of which a run computes some, by a condition.
//
//    taken    1 in runs that take a branch or an iteration, else 0
//    result   choose(taken, the branch's value, not taken, the other's): what the run did not take it need not compute
//
// A condition within a branch is 0 in runs that do not take the branch, whatever its own computation holds there.
#pragma once

#include <optional>
#include <utility>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The condition's only value; nullopt if it is computed. Throws Error(kBadData) for another number of values.
std::optional<bool> KnownCondition(const OnnxNodeView& view, const relay::ExprPtr& condition);

// Whether a run computes what depends on `condition` being `value`: an int64 of 0 or 1, and 0 where the builder's
// taken() is 0.
relay::ExprPtr TakenIf(const OnnxNodeView& view, const relay::ExprPtr& condition, bool value = true);

// While it lives, only runs in which `taken` is 1 compute what is built. Null: as before.
class WhileTaken {
 public:
  WhileTaken(TypedBuilder& builder, relay::ExprPtr taken)
      : builder_(builder), before_(builder.SetTaken(taken == nullptr ? builder.taken() : std::move(taken))) {}
  ~WhileTaken() { builder_.SetTaken(std::move(before_)); }
  WhileTaken(const WhileTaken&) = delete;
  WhileTaken& operator=(const WhileTaken&) = delete;

 private:
  TypedBuilder& builder_;
  relay::ExprPtr before_;
};

// Two values of which a run computes one, or both where `runs_otherwise` is a constant of 1.
struct Alternatives {
  relay::ExprPtr runs_then, then, runs_otherwise, otherwise;
};
// The value of a run. If their extents differ, the result's are counted. Sequences are chosen element by element.
// Throws Error(kBadData) for values of different types or ranks, and for sequences of different lengths.
relay::ExprPtr Chosen(const OnnxNodeView& view, const Alternatives& values);

}  // namespace hone
