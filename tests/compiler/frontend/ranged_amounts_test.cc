// Amounts that a run decides, such as those of a Pad, against the same models at one length.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

// x is 1 x seq x 3. "n" is the extent of seq, as one int64 in a vector.
ModelMaker OfLength() {
  ModelMaker model(17);
  model.Input("x", {1, -1, 3});
  Name(model, 0, 1, "seq");
  model.Node("Shape", {"x"}, {"s"}).Ints("one", {1}).Node("Gather", {"s", "one"}, {"n"});
  return model;
}

void Compare(const ModelMaker& model) {
  ExpectEqualToFixed(model.Bytes(), {{"seq", {4, 9}}}, {{{"seq", 4}}, {{"seq", 6}}, {{"seq", 9}}});
}

// The amounts of axis 1 are n - 5 and -1, so that elements go at both ends of a short input. They stand in the order of
// PyTorch's exporter, which turns pairs around.
TEST(OnnxAmounts, PadsFollowFromTheLength) {
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    ModelMaker model = OfLength();
    model.Ints("five", {5}).Ints("minus", {-1}).Ints("none", {0, 0}).Ints("pairs", {-1, 2}).Ints("axis", {0});
    model.Node("Sub", {"n", "five"}, {"before"}).Ints("far", {-1000});
    model.Node("Concat", {"none", "before", "minus", "none"}, {"last_first"}, {{"axis", int64_t{0}}});
    model.Node("Reshape", {"last_first", "pairs"}, {"two"});
    model.Node("Slice", {"two", "minus", "far", "axis", "minus"}, {"turned"});
    model.Node("Transpose", {"turned"}, {"ends"}).Node("Reshape", {"ends", "minus"}, {"pads"});
    model.Node("Pad", {"x", "pads"}, {"y"}, {{"mode", std::string(mode)}}).Output("y");
    Compare(model);
  }
}

TEST(OnnxAmounts, PadsFollowFromNumbersOfARun) {
  ModelMaker model(17);
  model.Input("x", {3})
      .IntegerInput("pads", 7, {2})
      .Weight("v", {}, {5})
      .Node("Pad", {"x", "pads", "v"}, {"y"})
      .Output("y");
  const auto padded = [&](std::vector<double> pads) {
    return Values(
        RunOnnx(model.Bytes(), {{"x", Counting({3})}, {"pads", Typed(DType::kInt64, {2}, pads)}}, {.max_dim = 6})[0]);
  };
  EXPECT_THAT(padded({1, 2}), ElementsAre(5, 0, 1, 2, 5, 5));
  std::vector<float> cut = padded({-1, 1});
  cut.resize(3);
  EXPECT_THAT(cut, ElementsAre(1, 2, 5));
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("node \"y\" (Pad): its pads must be known"));
}

}  // namespace
}  // namespace hone
