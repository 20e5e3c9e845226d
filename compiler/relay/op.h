// The operator registry: one row per operator, with everything that is known of it.
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
  AttrValue otherwise;  // the default; printing leaves an attribute out that equals it, unless `always_print`
  std::string description;
  bool always_print = false;
};

struct InputSpec {
  std::string name;
  std::string description;
  ElementRule types;  // of a tuple those of each field
};

struct ResultSpec {
  std::string name;
  ElementRule types;
};

// How an operator may be fused, from easy to hard; fusion and the generic generator go by it.
enum class OpPattern : uint8_t {
  kElementwise,  // out[i] from in[i]
  kBroadcast,    // the same with numpy broadcasting
  kInjective,    // each output element from one input element: reshape, transpose, pad, concatenate, slice
  kReduction,    // pools, mean, softmax, lrn
  kAnchor,       // conv2d, dense, batch_matmul: has schedules
  kOpaque,       // only computed at build time (shape_of, ...)
};

// What ChooseLayouts may do with the operator.
enum class LayoutRule : uint8_t {
  kAny,     // works in any layout when all tensor inputs and the output share it (elementwise)
  kNCHWc,   // works in NCHW and in NCHW{c}c: pools, global pools, lrn, broadcasts along channels
  kNative,  // row-major only
  kAnchor,  // its schedule decides
};

// Which axes of the first argument, row-major, an element of the result runs over whole.
enum class Folds : uint8_t {
  kNothing,
  kProducts,  // the one that is summed over with the second argument's
  kImage,     // height and width
  kAxis,      // those of the attribute `axis`; none given means all
};

// What passes may rely on besides the pattern: each is a promise about every call of the operator. They ask for a
// trait, so that a new operator is theirs once its row says so.
struct OpTraits {
  // Each element of the result is one of the first argument's.
  bool moves = false;
  // f(s x) = s f(x) for a scalar s > 0 and the first argument x.
  bool homogeneous = false;
  // Image i of the result follows from image i of the first argument when no axis is that of the images, and no
  // attribute counts them.
  bool per_image = false;
  // Computes each element once whatever is done to it afterwards, so that a fused chain may begin with it.
  bool heads = false;
  // Costs so little that computing it twice is cheaper than keeping it.
  bool cheap = false;
  Folds folds = Folds::kNothing;
};

struct OpDef {
  std::string name;
  std::string description;
  std::vector<InputSpec>
      inputs;               // one InputSpec "data" of tuple type for variadic operators (concatenate), as in Relay
  int optional_inputs = 0;  // so many of the last ones may be left out, as attributes say
  // Of an operator whose type is a tuple its fields; where there are more fields, they are as the last one. A call may
  // have fewer, as attributes say.
  std::vector<ResultSpec> results = {{"result", ElementRule::Like(0)}};
  std::vector<AttrSpec> attrs;  // in the order they are printed
  int support_level = 10;       // Relay's levels: 1 is needed by every network
  OpPattern pattern = OpPattern::kOpaque;
  LayoutRule layout = LayoutRule::kNative;
  OpTraits traits;
  // The result's type from the argument types, whose element types are the row's: CallType asks. Throws
  // Error(kBadData) saying what does not fit; the caller adds the node.
  std::function<TypePtr(const std::vector<TypePtr>& args, const Attrs& attrs)> type_relation;
  // Fills what is null in `args` from the others and the attributes, as far as it can: the types of weights. May be
  // empty.
  std::function<void(std::vector<TypePtr>& args, const Attrs& attrs)> fill_types;
  // Which of `inputs` each argument is, where attributes leave out others than the last. Empty: as many as there are
  // arguments, in order.
  std::function<std::vector<int>(const Attrs& attrs)> given_inputs;
  // What the operator means, in plain loops (double accumulation for sums). Variadic inputs arrive flattened. Several
  // results for an operator whose type is a tuple.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& args, const Attrs& attrs)> reference;
};

// The type of a call with arguments of these types, none of them null. Throws Error(kBadData) saying what does not fit,
// element types that the row does not take first: "indices is float32, it must be int32 or int64". The caller adds the
// node.
TypePtr CallType(const OpDef& def, const std::vector<TypePtr>& args, const Attrs& attrs);

// Every operator, sorted by name. Built on first use; thread-safe; lives for the process.
const std::vector<const OpDef*>& AllOps();
// Null when there is none of that name.
const OpDef* FindOp(std::string_view name);
// The one node of the operator. Throws Error(kBug) when there is none.
ExprPtr GetOp(std::string_view name);

// A table of operators: each file in ops/ defines one such function, and op.cc lists them all.
using OpTable = std::vector<OpDef>;

}  // namespace hone::relay
