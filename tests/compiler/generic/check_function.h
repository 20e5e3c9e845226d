// Compiles a function and compares it with its reference, for the tests of generated kernels.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"
#include "tests/support/test_targets.h"

namespace hone::testing {

relay::ExprPtr Param(const std::string& name, Shape shape, const std::string& layout = "",
                     DType dtype = DType::kFloat32);
// The function, with types inferred.
relay::FunctionPtr Function(const std::vector<relay::ExprPtr>& params, const relay::ExprPtr& body);
// Normal values, or small integers for integer types.
Tensor Filled(const relay::Type& type, uint64_t seed);

// Compiles for each of the targets, runs whole and in pieces, and compares. Floats must match the reference to
// `tolerance` of the largest magnitude, integers exactly, and the pieces bit for bit. Arguments that are not given are
// filled.
void CheckFunction(const relay::FunctionPtr& function, std::vector<Tensor> args = {}, double tolerance = 2e-6,
                   const std::vector<Target>& targets = TestTargets());

}  // namespace hone::testing
