#include "tests/compiler/passes/pass_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"

namespace hone::testing {

using relay::ExprPtr;
using relay::IRModule;

Tensor RandomTensor(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kNormal, seed);
  return tensor;
}

Tensor PositiveTensor(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kUniform, seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.data<float>()[i] = 1 + 0.5F * tensor.data<float>()[i];
  return tensor;
}

ExprPtr RandomConstant(const Shape& shape, uint64_t seed) { return relay::MakeConstant(RandomTensor(shape, seed)); }

ExprPtr Input(const std::string& name, const Shape& shape) { return relay::MakeVar(name, relay::TensorType(shape)); }

ExprPtr ScalarConstant(float value) { return relay::MakeConstant(Tensor::Scalar(value)); }

ExprPtr Conv(const ExprPtr& data, int64_t in, int64_t out, int64_t kernel, uint64_t seed) {
  const int64_t pad = kernel / 2;
  return relay::MakeCall("nn.conv2d", {data, RandomConstant({out, in, kernel, kernel}, seed)},
                         {{"padding", std::vector<int64_t>{pad, pad, pad, pad}},
                          {"channels", out},
                          {"kernel_size", std::vector<int64_t>{kernel, kernel}}});
}

IRModule ModuleOf(const ExprPtr& body) {
  std::vector<std::shared_ptr<const relay::Var>> params;
  for (const ExprPtr& expr : PostOrder(body)) {
    if (relay::AsVar(expr)) params.push_back(std::static_pointer_cast<const relay::Var>(expr));
  }
  return relay::InferType(IRModule{std::make_shared<relay::Function>(std::move(params), body), {}, "test", {}});
}

relay::IRModule DenseOfRangedRows(uint64_t seed) {
  const relay::ExprPtr x = Input("x", {512, 64});
  const relay::ExprPtr rows = relay::MakeVar("rows", relay::TensorType({}, DType::kInt64));
  const relay::ExprPtr y = relay::MakeCall("nn.dense", {x, RandomConstant({256, 64}, seed)});
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 0, 1, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 0, 1, 512}}));
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x),
                                                     std::static_pointer_cast<const relay::Var>(rows)},
      relay::MakeTuple({y, rows}), attrs);
  return relay::InferType(module);
}

PassContext TestContext(int opt_level) {
  PassContext context;
  context.build.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3");
  context.build.opt_level = opt_level;
  return context;
}

namespace {

// For 8-bit integers, values around zero where they are signed.
Tensor RandomInput(const relay::Type& type, uint64_t seed) {
  Tensor value = RandomTensor(type.shape, seed);
  if (type.dtype == DType::kFloat32) return value;
  Tensor whole(type.dtype, type.shape);
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double large = std::clamp(std::round(50 * value.At(i)), -128.0, 127.0);
    whole.Set(i, type.dtype == DType::kUInt8 ? large + 128 : large);
  }
  return whole;
}

}  // namespace

void ExpectSameMeaning(const IRModule& before, const IRModule& after, double tolerance) {
  std::map<std::string, Tensor> inputs;
  for (const auto& param : before.main->params) {
    inputs[param->name] = RandomInput(*param->type, 1000 + inputs.size());
  }
  const std::vector<Tensor> expected = RunReference(before, inputs);
  const std::vector<Tensor> got = RunReference(after, inputs);
  ASSERT_EQ(expected.size(), got.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].shape(), got[i].shape());
    double worst = 0, largest = 0;
    for (int64_t k = 0; k < expected[i].elements(); ++k) {
      worst = std::max(worst, std::abs(expected[i].At(k) - got[i].At(k)));
      largest = std::max(largest, std::abs(expected[i].At(k)));
    }
    EXPECT_LE(worst, tolerance * largest) << "output " << i;
  }
}

namespace {

void AppendNames(const ExprPtr& root, std::vector<std::string>& names) {
  for (const ExprPtr& expr : PostOrder(root)) {
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr) continue;
    if (const relay::Op* op = relay::AsOp(call->op)) {
      names.push_back(op->def->name);
    } else {
      AppendNames(relay::AsFunction(call->op)->body, names);
    }
  }
}

}  // namespace

std::vector<std::string> OpNames(const IRModule& module) {
  std::vector<std::string> names;
  AppendNames(module.main->body, names);
  return names;
}

int CountOf(const IRModule& module, const std::string& op) {
  const std::vector<std::string> names = OpNames(module);
  return static_cast<int>(std::count(names.begin(), names.end(), op));
}

std::vector<const relay::Call*> FunctionCalls(const IRModule& module) {
  std::vector<const relay::Call*> calls;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    if (call != nullptr && relay::AsFunction(call->op) != nullptr) calls.push_back(call);
  }
  return calls;
}

std::vector<std::string> FunctionNames(const IRModule& module) {
  std::vector<std::string> names;
  for (const relay::Call* call : FunctionCalls(module)) {
    std::vector<std::string> ops;
    AppendNames(relay::AsFunction(call->op)->body, ops);
    std::string joined;
    for (const std::string& op : ops) joined += (joined.empty() ? "" : "+") + op;
    names.push_back(joined);
  }
  return names;
}

}  // namespace hone::testing
