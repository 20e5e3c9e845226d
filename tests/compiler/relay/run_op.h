// Runs one operator's type relation and reference, for the tests of the operators.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/error.h"

namespace hone::relay {

inline Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, std::move(shape), values);
}

inline Tensor Int64s(Shape shape, const std::vector<int64_t>& values) {
  return Tensor::FromVector(DType::kInt64, std::move(shape), values);
}

// Element i is i % mod - off: small integers, so that sums are exact.
inline Tensor Saw(Shape shape, int mod, int off) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i % mod - off));
  return tensor;
}

inline FunctionPtr CallFunction(const std::string& op, const std::vector<TypePtr>& types, const Attrs& attrs) {
  std::vector<std::shared_ptr<const Var>> params;
  std::vector<ExprPtr> args;
  for (const TypePtr& type : types) {
    params.push_back(std::make_shared<Var>("x" + std::to_string(params.size()), type));
    args.push_back(params.back());
  }
  if (op == "concatenate" || op == "nn.interleave") args = {MakeTuple(args)};
  return InferType(std::make_shared<Function>(params, MakeCall(op, args, attrs)));
}

// The text of the result's type, or the error's message. An absent argument has a null type.
inline std::string ResultType(const std::string& op, const std::vector<TypePtr>& types, const Attrs& attrs = {}) {
  try {
    return ToText(CallFunction(op, types, attrs)->body->type);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
}

// The results of the operator. Also checks that they have the inferred types.
inline std::vector<Tensor> RunOp(const std::string& op, const std::vector<Tensor>& args, const Attrs& attrs = {}) {
  std::vector<TypePtr> types;
  types.reserve(args.size());
  for (const Tensor& arg : args) types.push_back(TensorType(arg.shape(), arg.dtype()));
  const FunctionPtr function = CallFunction(op, types, attrs);
  std::vector<Tensor> results = RunReference(*function, args);
  const TypePtr& type = function->body->type;
  const std::vector<TypePtr> fields = type->kind == TypeKind::kTuple ? type->fields : std::vector<TypePtr>{type};
  EXPECT_EQ(results.size(), fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_TRUE(Equal(fields[i], TensorType(results[i].shape(), results[i].dtype()))) << op << " " << i;
  }
  return results;
}

inline std::vector<double> Values(const Tensor& tensor) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(tensor.elements()));
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.At(i));
  return values;
}

inline std::vector<double> RunFor(const std::string& op, const std::vector<Tensor>& args, const Attrs& attrs = {}) {
  return Values(RunOp(op, args, attrs)[0]);
}

inline auto Near(const std::vector<double>& values) {
  return testing::Pointwise(testing::NanSensitiveDoubleNear(1e-5), values);
}

using Ints = std::vector<int64_t>;

}  // namespace hone::relay
