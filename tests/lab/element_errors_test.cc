#include "lab/verify/element_errors.h"

#include <gtest/gtest.h>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"

namespace hone {
namespace {

// A 3x3 convolution of one channel over an image of ones with one pixel of a million.
struct ProductLayer {
  ProductLayer() : weight(DType::kFloat32, {1, 1, 3, 3}), x(DType::kFloat32, {1, 1, 12, 12}) {
    FillTensor(weight, Fill::kNormal, 1);
    FillTensor(x, Fill::kNormal, 2);
    x.Set(0, 1e6);
    const relay::ExprPtr data = relay::MakeVar("x", relay::TensorType(x.shape(), DType::kFloat32));
    const relay::Attrs attrs{{"padding", std::vector<int64_t>{1, 1, 1, 1}}};
    relay::IRModule module;
    module.main = std::make_shared<relay::Function>(
        std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(data)},
        relay::MakeCall("nn.conv2d", {data, relay::MakeConstant(weight)}, attrs));
    typed = relay::InferType(module);
    expected = RunReference(typed, {{"x", x}});
  }

  // The error when the element is off by `by`.
  ElementError Judged(int64_t element, double by) const {
    const Tensor got = expected[0].Clone();
    Tensor moved = got;
    moved.Set(element, got.At(element) + by);
    return ElementErrors(typed, {{"x", x}}, {moved}, expected, 1e-4)[0];
  }

  Tensor weight, x;
  relay::IRModule typed;
  std::vector<Tensor> expected;
};

TEST(ElementErrors, TellAnErrorThatIsSmallBesideTheLargestElementAlone) {
  const ProductLayer layer;
  const ElementError far = layer.Judged(100, 0.19);
  EXPECT_GT(far.excess, 10);
  EXPECT_EQ(far.index, 100);
  // Next to the large pixel a float sum is no more accurate than that.
  EXPECT_LT(layer.Judged(1, 0.19).excess, 1);
}

TEST(ElementErrors, AreNoneWhereSumsOfFloatsExplainThem) {
  const ProductLayer layer;
  EXPECT_EQ(layer.Judged(100, 0).excess, 0);
  EXPECT_LT(layer.Judged(100, 1e-6).excess, 1);
}

TEST(ElementErrors, AskWhetherTheModelIsContinuous) {
  EXPECT_TRUE(IsContinuous(ProductLayer().typed));
  const relay::ExprPtr data = relay::MakeVar("x", relay::TensorType({3}, DType::kFloat32));
  relay::IRModule module;
  module.main = std::make_shared<relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(data)},
      relay::MakeCall("round", {data}));
  EXPECT_FALSE(IsContinuous(relay::InferType(module)));
}

}  // namespace
}  // namespace hone
