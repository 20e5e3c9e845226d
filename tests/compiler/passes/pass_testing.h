// Parts that tests of passes share: small modules with random values, and the check that a rewrite keeps the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/passes.h"
#include "compiler/relay/expr.h"

namespace hone::testing {

// A float32 tensor from the seed: normal values, or positive ones (0.5 to 1.5) for variances.
Tensor RandomTensor(const Shape& shape, uint64_t seed);
Tensor PositiveTensor(const Shape& shape, uint64_t seed);
relay::ExprPtr RandomConstant(const Shape& shape, uint64_t seed);
relay::ExprPtr Input(const std::string& name, const Shape& shape);
relay::ExprPtr ScalarConstant(float value);

// A convolution with random constant weights (kernel x kernel, "same" padding).
relay::ExprPtr Conv(const relay::ExprPtr& data, int64_t in, int64_t out, int64_t kernel, uint64_t seed);

// The typed module of an expression. Its parameters are the Vars within, in post order.
relay::IRModule ModuleOf(const relay::ExprPtr& body);

// A dense layer of 1 to 512 rows ("rows") with random weights.
relay::IRModule DenseOfRangedRows(uint64_t seed = 1);

// A context for a target that does not depend on the test's machine.
PassContext TestContext(int opt_level = 3);

// Expects that both modules give equal outputs for equal random inputs, to `tolerance` of the largest magnitude.
// `after` must not have packed constants, because the reference takes only logical tensors.
void ExpectSameMeaning(const relay::IRModule& before, const relay::IRModule& after, double tolerance = 1e-5);

// The operators in main and in the functions that it calls, in post order.
std::vector<std::string> OpNames(const relay::IRModule& module);
int CountOf(const relay::IRModule& module, const std::string& op);
// The operators of each called function, in post order: "nn.conv2d+nn.bias_add".
std::vector<std::string> FunctionNames(const relay::IRModule& module);
// Calls of main in post order, functions only.
std::vector<const relay::Call*> FunctionCalls(const relay::IRModule& module);

}  // namespace hone::testing
