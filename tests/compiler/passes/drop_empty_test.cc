#include <gmock/gmock.h>

#include "compiler/passes/general_passes.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ints = std::vector<int64_t>;

ExprPtr Join(std::vector<ExprPtr> parts, int64_t axis) {
  return MakeCall("concatenate", {relay::MakeTuple(std::move(parts))}, {{"axis", axis}});
}
ExprPtr Slice(const ExprPtr& x, int64_t begin, int64_t end, int64_t axis) {
  return MakeCall("strided_slice", {x}, {{"begin", Ints{begin}}, {"end", Ints{end}}, {"axes", Ints{axis}}});
}

std::vector<std::string> OpsAfter(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(DropEmpty(module));
  ExpectSameMeaning(module, after);
  return OpNames(after);
}

TEST(DropEmpty, LeavesOtherTensorsAlone) {
  EXPECT_THAT(OpsAfter(MakeCall("nn.relu", {Input("x", {2, 3})})), ElementsAre("nn.relu"));
}

TEST(DropEmpty, AnEmptyResultIsAConstant) {
  const ExprPtr x = Input("x", {2, 8, 5});
  EXPECT_THAT(OpsAfter(MakeCall("nn.relu", {Slice(x, 3, 3, 1)})), IsEmpty());
  EXPECT_THAT(OpsAfter(relay::MakeTuple({MakeCall("exp", {x}), Slice(x, 5, 5, 2)})), ElementsAre("exp"));
  EXPECT_THAT(OpsAfter(MakeCall("add", {Input("e", {0, 3}), Input("v", {1, 3})})), IsEmpty());
}

TEST(DropEmpty, AConcatenationKeepsTheOtherFields) {
  const ExprPtr x = Input("x", {2, 8, 5}), none = Slice(x, 0, 0, 1);
  EXPECT_THAT(OpsAfter(Join({none, MakeCall("exp", {x}), Input("e", {2, 0, 5})}, 1)), ElementsAre("exp"));
  EXPECT_THAT(OpsAfter(Join({x, none, x}, 1)), ElementsAre("concatenate"));
  EXPECT_THAT(OpsAfter(Join({none, none}, 1)), IsEmpty());
}

TEST(DropEmpty, AFoldOfNothingHasAValue) {
  const ExprPtr e = Input("e", {3, 0});
  EXPECT_THAT(OpsAfter(MakeCall("sum", {e}, {{"axis", Ints{1}}})), IsEmpty());
  EXPECT_THAT(OpsAfter(MakeCall("max", {e}, {{"axis", Ints{1}}})), IsEmpty());
  EXPECT_THAT(OpsAfter(MakeCall("add", {Input("x", {3, 4}), MakeCall("nn.dense", {e, Input("w", {4, 0})})})),
              ElementsAre("add"));
  EXPECT_THAT(OpsAfter(MakeCall("nn.pad", {e}, {{"pad_width", Ints{0, 0, 1, 2}}, {"pad_value", 2.0}})), IsEmpty());
}

TEST(DropEmpty, RefusesAnElementOfNone) {
  const ExprPtr index = MakeCall("argmax", {Input("i", {2, 3})}, {{"axis", int64_t{1}}});
  try {
    DropEmpty(ModuleOf(MakeCall("take", {Input("e", {0, 3}), index}, {{"axis", int64_t{0}}}, "pick")));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_THAT(error.what(), HasSubstr("take pick of Tensor[(2, 3), float32] would have elements"));
  }
}

}  // namespace
}  // namespace hone::testing
