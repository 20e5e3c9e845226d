// Tensors without elements inside a model: no work is done for them, and values joined or folded with them are right.
#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/frontend/model_maker.h"
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

void ExpectOnnxAsReference(const ModelMaker& model) {
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(model.Bytes(), "empty").module);
  for (const int level : {0, 3}) ExpectAsReference(module, level);
}

// In ONNX, a start behind the end gives no dimensions.
TEST(EmptyTensors, AreTheShapeOfNoAxes) {
  ModelMaker model(15);
  model.Input("x", {3, 4, 5}).Node("Shape", {"x"}, {"none"}, {{"start", int64_t{2}}, {"end", int64_t{1}}});
  model.Output("none");
  // A shape without dimensions gives one element, which the next node reads.
  model.Node("ConstantOfShape", {"none"}, {"zero"}).Node("Add", {"x", "zero"}, {"y"}).Output("y");
  ExpectOnnxAsReference(model);
}

// The first call of a language model with a cache: no token is past.
TEST(EmptyTensors, AreAnEmptyPast) {
  ModelMaker model(17);
  model.Input("past", {1, 2, 0, 4}).Input("k", {1, 2, 3, 4}).Input("q", {1, 2, 3, 4});
  model.Node("Concat", {"past", "k"}, {"present"}, {{"axis", int64_t{2}}});
  model.Node("Transpose", {"present"}, {"t"}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  model.Node("MatMul", {"q", "t"}, {"scores"}).Node("Softmax", {"scores"}, {"y"});
  model.Node("Relu", {"past"}, {"none"}).Output("y").Output("present").Output("none");
  ExpectOnnxAsReference(model);
}

// RotaryEmbedding as ONNX writes it out, rotating `rotated` of a head's 8 elements. The rest is split off and joined
// again; it is empty if `rotated` is 8.
ModelMaker RotaryEmbedding(int64_t rotated) {
  const std::vector<std::pair<std::string, TestAttribute>> last{{"axis", int64_t{-1}}};
  const std::vector<std::pair<std::string, TestAttribute>> swap{{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
  ModelMaker model(17);
  model.Input("x", {2, 4, 3, 8}).Input("cos", {2, 3, 1, rotated / 2}).Input("sin", {2, 3, 1, rotated / 2});
  model.Ints("rotated", {rotated}).Ints("half", {rotated / 2, rotated / 2});
  model.Node("Transpose", {"x"}, {"t"}, swap);
  model.Node("Shape", {"t"}, {"head"}, {{"start", int64_t{3}}, {"end", int64_t{4}}});
  model.Node("Sub", {"head", "rotated"}, {"rest"});
  model.Node("Concat", {"rotated", "rest"}, {"lengths"}, {{"axis", int64_t{0}}});
  model.Node("Split", {"t", "lengths"}, {"turn", "keep"}, last).Node("Split", {"turn", "half"}, {"a", "b"}, last);
  model.Node("Mul", {"cos", "a"}, {"ca"}).Node("Mul", {"sin", "b"}, {"sb"}).Node("Sub", {"ca", "sb"}, {"real"});
  model.Node("Mul", {"sin", "a"}, {"sa"}).Node("Mul", {"cos", "b"}, {"cb"}).Node("Add", {"sa", "cb"}, {"imaginary"});
  model.Node("Concat", {"real", "imaginary"}, {"turned"}, last).Node("Concat", {"turned", "keep"}, {"all"}, last);
  model.Node("Transpose", {"all"}, {"y"}, swap).Output("y");
  return model;
}

TEST(EmptyTensors, AreWhatARotaryEmbeddingOfWholeHeadsKeeps) {
  for (const int64_t rotated : {4, 8}) {
    SCOPED_TRACE(rotated);
    ExpectOnnxAsReference(RotaryEmbedding(rotated));
  }
}

}  // namespace
}  // namespace hone
