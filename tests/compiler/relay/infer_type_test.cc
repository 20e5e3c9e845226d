#include "compiler/relay/infer_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/relay/reference.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Vars = std::vector<std::shared_ptr<const Var>>;

std::shared_ptr<const Var> NewVar(const std::string& name, TypePtr type = nullptr) {
  return std::make_shared<const Var>(name, std::move(type));
}

IRModule ModuleOf(Vars params, ExprPtr body) {
  return {std::make_shared<Function>(std::move(params), std::move(body)), {}, "m", {}};
}

std::string ErrorOf(const IRModule& module) {
  try {
    InferType(module);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
  return "";
}

TEST(InferType, GivesEveryNodeItsType) {
  const auto x = NewVar("x", TensorType({1, 4}));
  const auto w = NewVar("w");
  const IRModule typed = InferType(ModuleOf({x, w}, MakeCall("nn.dense", {x, w}, {{"units", int64_t{2}}})));
  EXPECT_EQ(ToText(typed.main->params[1]->type), "Tensor[(2, 4), float32]");
  EXPECT_EQ(AsCall(typed.main->body)->args[1], typed.main->params[1]);
  EXPECT_EQ(ToText(typed.main->type),
            "fn (Tensor[(1, 4), float32], Tensor[(2, 4), float32]) -> Tensor[(1, 2), float32]");
}

TEST(InferType, TakesBoundParametersAtTheirWord) {
  const auto x = NewVar("x", TensorType({3}));
  IRModule module = ModuleOf({x, NewVar("b")}, nullptr);
  module.main = std::make_shared<Function>(module.main->params, MakeCall("add", {x, module.main->params[1]}));
  module.params = {{"b", Tensor(DType::kFloat32, {1})}};
  EXPECT_EQ(ToText(InferType(module).main->params[1]->type), "Tensor[(1), float32]");
}

TEST(InferType, ChangesNothingTheSecondTime) {
  const auto x = NewVar("x", TensorType({3}));
  const IRModule once = InferType(ModuleOf({x}, MakeCall("tanh", {MakeCall("exp", {x})})));
  EXPECT_EQ(InferType(once).main->body, once.main->body);
}

TEST(InferType, NamesTheNodeThatDoesNotFit) {
  const auto x = NewVar("x", TensorType({2}));
  const auto y = NewVar("y", TensorType({3}));
  EXPECT_EQ(ErrorOf(ModuleOf({x, y}, MakeCall("add", {x, y}, {}, "sum_1"))),
            "node 'sum_1' (add): dims 2 and 3 do not broadcast");
  EXPECT_EQ(ErrorOf(ModuleOf({x, y}, MakeCall("add", {MakeCall("tanh", {x}), y}))),
            "node add (call 2): dims 2 and 3 do not broadcast");
}

TEST(InferType, RefusesAParameterWithoutAnyType) {
  const auto x = NewVar("x");
  EXPECT_THAT(ErrorOf(ModuleOf({x}, MakeCall("tanh", {x}))), HasSubstr("parameter x has no type"));
  EXPECT_THAT(ErrorOf(ModuleOf({x}, MakeConstant(Tensor::Scalar(1)))), HasSubstr("parameter x has no type"));
}

TEST(InferType, RefusesSizesThatOverflow) {
  const auto x = NewVar("x", TensorType({int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_NE(ErrorOf(ModuleOf({x}, x)), "");
}

TEST(InferType, RefusesAnItemThatIsNotThere) {
  const auto x = NewVar("x", TensorType({2}));
  EXPECT_THAT(ErrorOf(ModuleOf({x}, MakeTupleGetItem(MakeTuple({x}), 1))), HasSubstr("no item 1"));
  EXPECT_THAT(ErrorOf(ModuleOf({x}, MakeTupleGetItem(x, 0))), HasSubstr("no item 0"));
}

TEST(InferType, TypesACalledFunctionFromItsArguments) {
  const auto p = NewVar("p");
  const auto inner = std::make_shared<Function>(Vars{p}, MakeCall("tanh", {p}));
  const auto x = NewVar("x", TensorType({2}));
  const ExprPtr call = std::make_shared<Call>(inner, std::vector<ExprPtr>{x}, Attrs{}, "");
  const IRModule typed = InferType(ModuleOf({x}, call));
  EXPECT_EQ(ToText(AsCall(typed.main->body)->op->type), "fn (Tensor[(2), float32]) -> Tensor[(2), float32]");
  EXPECT_EQ(ToText(typed.main->body->type), "Tensor[(2), float32]");
}

TEST(RunReference, RunsTuplesAndCalledFunctions) {
  const auto p = NewVar("p");
  const auto twice = std::make_shared<Function>(Vars{p}, MakeCall("add", {p, p}));
  const auto x = NewVar("x", TensorType({2}));
  const ExprPtr doubled = std::make_shared<Call>(twice, std::vector<ExprPtr>{x}, Attrs{}, "");
  const ExprPtr parts = MakeCall("split", {doubled}, {{"indices_or_sections", std::vector<int64_t>{2}}});
  const ExprPtr body = MakeTuple({MakeTupleGetItem(parts, 1), x});
  std::vector<std::string> seen;
  const auto each = [&](const Call& call, const std::vector<Tensor>& results) {
    seen.push_back(AsOp(call.op) ? "op" : "function");
    EXPECT_FALSE(results.empty());
  };
  const auto outputs = RunReference(InferType(ModuleOf({x}, body)),
                                    {{"x", Tensor::FromVector<float>(DType::kFloat32, {2}, {1, 5})}}, each);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].At(0), 10);
  EXPECT_EQ(outputs[1].At(1), 5);
  EXPECT_THAT(seen, ElementsAre("function", "op"));
}

TEST(RunReference, NamesAMissingOrMisshapenInput) {
  const auto x = NewVar("x", TensorType({2}));
  const IRModule module = InferType(ModuleOf({x}, MakeCall("tanh", {x})));
  const auto message = [&](const std::map<std::string, Tensor>& inputs) -> std::string {
    try {
      RunReference(module, inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "input x is missing; it is Tensor[(2), float32]");
  EXPECT_EQ(message({{"x", Tensor(DType::kFloat32, {3})}}), "input x is float32 3, it must be Tensor[(2), float32]");
}

TEST(RunReference, UsesBoundParameters) {
  const auto x = NewVar("x", TensorType({1}));
  const auto b = NewVar("b", TensorType({1}));
  IRModule module = ModuleOf({x, b}, MakeCall("add", {x, b}));
  module.params = {{"b", Tensor::FromVector<float>(DType::kFloat32, {1}, {4})}};
  const Tensor three = Tensor::FromVector<float>(DType::kFloat32, {1}, {3});
  EXPECT_EQ(RunReference(InferType(module), {{"x", three}})[0].At(0), 7);
}

}  // namespace
}  // namespace hone::relay
