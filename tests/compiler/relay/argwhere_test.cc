#include "compiler/relay/counted_outputs.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Argwhere, TellsPlacesInOrderAndHowMany) {
  const auto found = RunOp("argwhere", {Floats({2, 3}, {0, -1, 0, 0.5F, 0, 2})});
  EXPECT_THAT(Values(found[0]), ElementsAre(0, 1, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Values(found[1]), ElementsAre(3));
  EXPECT_THAT(Values(RunOp("argwhere", {Floats({2}, {0, -0.0F})})[1]), ElementsAre(0));
  EXPECT_EQ(ResultType("argwhere", {TensorType({2, 3, 4}, DType::kBool)}), "(Tensor[(24, 3), int64], int64)");
  EXPECT_THAT(ResultType("argwhere", {TensorType({})}), HasSubstr("no axis"));
}

// Boxes side by side, each covering half of the next, so that two have an IoU of 1/3.
Tensor Row(int64_t boxes) {
  Tensor row(DType::kFloat32, {1, boxes, 4});
  for (int64_t i = 0; i < boxes; ++i) {
    const double corners[] = {0, static_cast<double>(i), 1, static_cast<double>(i + 2)};
    for (int64_t k = 0; k < 4; ++k) row.Set(i * 4 + k, corners[k]);
  }
  return row;
}

std::vector<double> Suppressed(const Tensor& boxes, const Tensor& scores, int64_t most, float overlap, float least,
                               int64_t room) {
  const auto taken =
      RunOp("vision.all_class_non_max_suppression",
            {boxes, scores, Int64s({}, {most}), Floats({}, {overlap}), Floats({}, {least})}, {{"room", room}});
  std::vector<double> numbers;
  for (int64_t i = 0; i < static_cast<int64_t>(taken[1].At(0)); ++i) numbers.push_back(taken[0].At(3 * i + 2));
  return numbers;
}

TEST(NonMaxSuppression, LeavesWhatABetterBoxCovers) {
  const Tensor scores = Floats({1, 1, 4}, {0.3F, 0.9F, 0.8F, 0.7F});
  EXPECT_THAT(Suppressed(Row(4), scores, 4, 0.3F, 0, 4), ElementsAre(1, 3));
  EXPECT_THAT(Suppressed(Row(4), scores, 4, 0.34F, 0, 4), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(Suppressed(Row(4), scores, 3, 0.34F, 0, 4), ElementsAre(1, 2, 3));
  EXPECT_THAT(Suppressed(Row(4), scores, 4, 0.34F, 0.7F, 4), ElementsAre(1, 2));
  EXPECT_THAT(Suppressed(Row(4), scores, 4, 0.34F, 0, 2), ElementsAre(1, 2));
  EXPECT_THAT(Suppressed(Row(4), scores, -1, 0.34F, 0, 4), ElementsAre());
  // The first box wins among equal scores.
  EXPECT_THAT(Suppressed(Row(3), Floats({1, 1, 3}, {1, 1, 1}), 3, 0.3F, 0, 3), ElementsAre(0, 2));
}

TEST(NonMaxSuppression, HoldsBoxesToScores) {
  const auto type = [](const Shape& boxes, const Shape& scores, int64_t room) {
    return ResultType(
        "vision.all_class_non_max_suppression",
        {TensorType(boxes), TensorType(scores), TensorType({}, DType::kInt64), TensorType({}), TensorType({})},
        {{"room", room}});
  };
  EXPECT_EQ(type({2, 9, 4}, {2, 3, 9}, 5), "(Tensor[(30, 3), int64], int64)");
  EXPECT_THAT(type({2, 9, 5}, {2, 3, 9}, 5), HasSubstr("they must be (images, n, 4) and (images, classes, n)"));
  EXPECT_THAT(type({2, 9, 4}, {2, 3, 8}, 5), HasSubstr("they must be"));
  EXPECT_THAT(type({2, 9, 4}, {2, 3, 9}, 10), HasSubstr("room is 10, it must be 1 to 9"));
}

FunctionPtr MainWith(const AttrValue& counted) {
  const auto x = std::make_shared<const Var>("x", TensorType({2}));
  return std::make_shared<const Function>(std::vector<std::shared_ptr<const Var>>{x}, x,
                                          Attrs{{std::string(kCounted), counted}});
}

TEST(CountedOutputs, TrimsResultsAndRefusesWhatDoesNotFit) {
  const FunctionPtr main = MainWith(Ints{0, 1, 1, 3});
  const auto trimmed = TrueOutputs(*main, {Floats({2, 3}, {1, 2, 3, 4, 5, 6}), Int64s({}, {2})});
  ASSERT_EQ(trimmed.size(), 1U);
  EXPECT_EQ(trimmed[0].shape(), (Shape{2, 2}));
  EXPECT_THAT(Values(trimmed[0]), ElementsAre(1, 2, 4, 5));
  for (const int64_t count : {-1, 4}) {
    EXPECT_THROW(TrueOutputs(*main, {Floats({2, 3}, {1, 2, 3, 4, 5, 6}), Int64s({}, {count})}), Error);
  }
  EXPECT_THROW(TrueOutputs(*main, {Floats({2, 3}, {1, 2, 3, 4, 5, 6}), Floats({}, {2})}), Error);
  for (const Ints& numbers :
       {Ints{0, 1, 1}, Ints{0, 1, 2, 3}, Ints{1, 1, 1, 3}, Ints{0, -1, 1, 3}, Ints{-2, 0, 1, 3}}) {
    EXPECT_THROW(CountedOutputs(*MainWith(numbers), 2), Error);
  }
  EXPECT_THROW(CountedOutputs(*MainWith(int64_t{1}), 2), Error);
}

}  // namespace
}  // namespace hone::relay
