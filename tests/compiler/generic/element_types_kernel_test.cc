// Compiles every call that the operators' rows allow: kernels support the element types that a row lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/codegen/target/host.h"
#include "compiler/ops/kernel.h"
#include "core/error.h"
#include "core/tensor.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/relay/op_samples.h"

namespace hone::testing {
namespace {

using relay::OpDef;
using relay::OpSample;

// Positions lie inside the data, and no divisor is zero.
Tensor SmallValues(const relay::Type& type, bool are_positions) {
  Tensor tensor(type.dtype, type.shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const int64_t magnitude = 1 + i * 7 % 5, sign = i % 3 == 0 && type.dtype != DType::kUInt8 ? -1 : 1;
    tensor.Set(i, static_cast<double>(are_positions || type.dtype == DType::kBool ? i % 2 : sign * magnitude));
  }
  return tensor;
}

// For integers the ends of their type and values that float64 cannot represent; for floats small values.
Tensor LargeValues(const relay::Type& type) {
  Tensor tensor = SmallValues(type, false);
  if (IsFloat(type.dtype) || type.dtype == DType::kBool) return tensor;
  const IntegerRange range = RangeOf(type.dtype);
  const int64_t least = range.least == 0 ? 2 : range.least;  // divisors are nonzero
  const int64_t values[] = {range.most, least, range.most - 1, range.least + 1, range.most / 1021 + 1, 3, 7};
  for (int64_t i = 0; i < tensor.elements(); ++i) SetInteger(tensor, i, values[i * 5 % 7]);
  return tensor;
}

struct Made {
  relay::FunctionPtr function;  // null where the attributes do not allow types that the row allows
  std::vector<Tensor> args;
};

Made Make(const OpDef& op, const OpSample& sample, const std::vector<DType>& elements, bool large) {
  std::vector<relay::ExprPtr> params, args;
  Made made;
  const std::vector<relay::TypePtr> types = TypesOf(op, sample, elements);
  for (size_t i = 0; i < types.size(); ++i) {
    const bool is_tuple = types[i]->kind == relay::TypeKind::kTuple;
    std::vector<relay::ExprPtr> fields;
    for (const relay::TypePtr& field : is_tuple ? types[i]->fields : std::vector<relay::TypePtr>{types[i]}) {
      params.push_back(relay::MakeVar("x" + std::to_string(params.size()), field));
      fields.push_back(params.back());
      const bool positions = InputOf(op, sample, i).types.types() == relay::kIndices;
      made.args.push_back(large && !positions ? LargeValues(*field) : SmallValues(*field, positions));
    }
    args.push_back(is_tuple ? relay::MakeTuple(fields) : fields[0]);
  }
  try {
    made.function = Function(params, relay::MakeCall(op.name, args, sample.attrs));
  } catch (const Error&) {
    made.function = nullptr;
  }
  return made;
}

// Operators without generic kernels. Schedules compute products; casts make narrow elements float32 first; passes
// remove operators without kernels; and tree_ensemble's tables need special values.
bool IsPassedOver(const OpDef& op) {
  // By then volumes are planes, and transposed convolutions are plain ones.
  const bool is_gone = op.name.find("3d") != std::string::npos || op.name.ends_with("_transpose");
  return is_gone || op.pattern == relay::OpPattern::kAnchor || op.name == "shape_of" || op.name == "nn.dropout" ||
         op.name == "tree_ensemble";
}

// Only powers with constant exponents are compiled.
bool IsPowerOfIntegers(const OpDef& op, DType first) { return op.name == "power" && first != DType::kFloat32; }

// Returns the number of compiled calls.
int CheckSample(const OpDef& op, const OpSample& sample, bool large) {
  int compiled = 0;
  for (const std::vector<DType>& elements : AllowedElements(op, sample)) {
    const Made made = Make(op, sample, elements, large);
    if (made.function == nullptr || IsPowerOfIntegers(op, elements[0])) continue;
    std::string text = op.name;
    for (const DType each : elements) text += " " + std::string(DTypeName(each));
    SCOPED_TRACE(text);
    EXPECT_NO_THROW(CheckFunction(made.function, made.args, 2e-6, {HostTarget()}));
    ++compiled;
  }
  return compiled;
}

TEST(ElementTypesKernel, ComputesWhatTheRowsAllow) {
  int compiled = 0;
  for (const OpDef* op : relay::AllOps()) {
    if (IsPassedOver(*op)) continue;
    for (const OpSample& sample : SamplesOf(*op)) compiled += CheckSample(*op, sample, false);
  }
  EXPECT_GT(compiled, 400);
}

bool TakesInt64(const OpDef& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [](const relay::InputSpec& input) { return input.types.types().Has(DType::kInt64); });
}

// The importer folds constants with the reference, so a kernel must compute the same bits.
TEST(ElementTypesKernel, OfLargeIntegersComputesTheBitsThatAreFolded) {
  int compiled = 0;
  for (const OpDef* op : relay::AllOps()) {
    if (IsPassedOver(*op) || !TakesInt64(*op)) continue;
    for (const OpSample& sample : SamplesOf(*op)) compiled += CheckSample(*op, sample, true);
  }
  EXPECT_GT(compiled, 200);
}

}  // namespace
}  // namespace hone::testing
