// The operator registry: one row per operator, with everything known about it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/element_types.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/type.h"

namespace hone::relay {

enum class AttrKind : uint8_t { kBool, kInt, kFloat, kString, kInts };

struct AttrSpec {
  std::string name;
  AttrKind kind;
  AttrValue otherwise;  // the default; an attribute equal to it is not printed, unless `always_print`
  std::string description;
  bool always_print = false;
};

struct InputSpec {
  std::string name;
  std::string description;
  ElementRule types;  // for a tuple: of each field
};

struct ResultSpec {
  std::string name;
  ElementRule types;
};

// The ways of fusing an operator, from easy to hard; fusion and the generic generator use them.
enum class OpPattern : uint8_t {
  kElementwise,  // out[i] from in[i]
  kBroadcast,    // elementwise with numpy broadcasting
  kInjective,    // each output element from one input element: reshape, transpose, pad, concatenate, slice
  kReduction,    // pools, mean, softmax, lrn
  kAnchor,       // conv2d, dense, batch_matmul: has schedules
  kOpaque,       // only computed at build time (shape_of, ...)
};

// The layouts in which ChooseLayouts may run the operator.
enum class LayoutRule : uint8_t {
  kAny,     // any layout, if all tensor inputs and the output share it (elementwise)
  kNCHWc,   // NCHW and NCHW{c}c: pools, global pools, lrn, broadcasts along channels
  kNative,  // row-major only
  kAnchor,  // its schedule decides
};

// The axes of the row-major first argument over which one element of the result runs completely.
enum class Folds : uint8_t {
  kNothing,
  kProducts,  // the axis that is summed over together with the second argument's
  kImage,     // height and width
  kAxis,      // those in the attribute `axis`; if none is given, all
};

// Facts beyond the pattern on which passes may rely; each is a promise about every call of the operator. Passes test
// the trait, so they handle a new operator as soon as its row has it.
struct OpTraits {
  // Each element of the result is one of the first argument's.
  bool moves = false;
  // f(s x) = s f(x) for a scalar s > 0 and the first argument x.
  bool homogeneous = false;
  // Image i of the result depends only on image i of the first argument. This holds if no axis attribute is the images'
  // axis and no attribute counts images.
  bool per_image = false;
  // Computes each element once, whatever follows, so that a fused chain may begin with it.
  bool heads = false;
  // Costs so little that computing it twice is cheaper than storing it.
  bool cheap = false;
  Folds folds = Folds::kNothing;
};

struct OpDef {
  std::string name;
  std::string description;
  std::vector<InputSpec>
      inputs;               // one InputSpec "data" of tuple type for variadic operators (concatenate), as in Relay
  int optional_inputs = 0;  // number of last inputs that may be left out, as attributes say
  // For an operator with a tuple type, its fields; further fields are like the last one. A call may have fewer, as
  // attributes say.
  std::vector<ResultSpec> results = {{"result", ElementRule::Like(0)}};
  std::vector<AttrSpec> attrs;  // in the order they are printed
  int support_level = 10;       // Relay's levels: 1 is needed by every network
  OpPattern pattern = OpPattern::kOpaque;
  LayoutRule layout = LayoutRule::kNative;
  OpTraits traits;
  // The result's type from the argument types, whose element types were checked against the row: called by CallType.
  // Throws Error(kBadData) naming the mismatch; the caller adds the node.
  std::function<TypePtr(const std::vector<TypePtr>& args, const Attrs& attrs)> type_relation;
  // Fills nulls in `args`, the types of weights, from the other types and the attributes, as far as it can. May be
  // empty.
  std::function<void(std::vector<TypePtr>& args, const Attrs& attrs)> fill_types;
  // For each argument its index in `inputs`, if attributes leave out other inputs than the last. If empty, arguments
  // are the first inputs in order.
  std::function<std::vector<int>(const Attrs& attrs)> given_inputs;
  // The operator's definition in plain loops, with double accumulation for sums. Variadic inputs arrive flattened.
  // Returns several results for an operator whose type is a tuple.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& args, const Attrs& attrs)> reference;
};

// The type of a call with arguments of these types, none of them null. Throws Error(kBadData) naming the mismatch.
// Element types that the row does not take come first: "indices is float32, it must be int32 or int64". The caller adds
// the node.
TypePtr CallType(const OpDef& def, const std::vector<TypePtr>& args, const Attrs& attrs);

// Every operator, sorted by name. Built on first use; thread-safe; lives for the process.
const std::vector<const OpDef*>& AllOps();
// Null if no operator has the name.
const OpDef* FindOp(std::string_view name);
// The only node of the operator. Throws Error(kBug) if there is no such operator.
ExprPtr GetOp(std::string_view name);

using OpTable = std::vector<OpDef>;
// The rows of all families of operators, in no order. Defined with their list, in compiler/ops.
OpTable AllRows();

}  // namespace hone::relay
