// Tensors without elements inside a model: nothing is done for them, and what they are joined to or folded into is
// right.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/end_to_end/expect_as_reference.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

ExprPtr Input(const std::string& name, Shape shape) {
  return relay::MakeVar(name, relay::TensorType(std::move(shape)));
}
ExprPtr Slice(const ExprPtr& x, int64_t begin, int64_t end, int64_t axis) {
  return MakeCall("strided_slice", {x}, {{"begin", Ints{begin}}, {"end", Ints{end}}, {"axes", Ints{axis}}});
}
ExprPtr Concat(std::vector<ExprPtr> fields, int64_t axis) {
  return MakeCall("concatenate", {relay::MakeTuple(std::move(fields))}, {{"axis", axis}});
}

TEST(EmptyTensors, AreComputedAtAnyLevel) {
  for (const int level : {0, 1, 3}) {
    const ExprPtr x = Input("x", {2, 8, 5});
    std::vector<ExprPtr> results{MakeCall("exp", {x})};
    for (const int64_t axis : {0, 1, 2}) {
      const ExprPtr none = MakeCall("nn.relu", {Slice(x, 0, 0, axis)});
      results.push_back(none);
      results.push_back(Concat({none, MakeCall("nn.relu", {x}), none}, axis));
      results.push_back(MakeCall("sum", {none}, {{"axis", Ints{axis}}}));
    }
    const ExprPtr matrix = Slice(Input("m", {3, 4}), 2, 2, 1), weight = Slice(Input("w", {6, 4}), 1, 1, 1);
    results.push_back(MakeCall("nn.dense", {matrix, weight}));
    ExpectAsReference(ModuleOf(relay::MakeTuple(results)), level);
    const ExprPtr split = MakeCall("split", {x}, {{"indices_or_sections", Ints{0, 3}}, {"axis", int64_t{1}}});
    ExpectAsReference(ModuleOf(split), level);
    ExpectAsReference(ModuleOf(Input("e", {0, 3})), level);
  }
}

}  // namespace
}  // namespace hone
