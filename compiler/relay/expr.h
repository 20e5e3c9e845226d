// The graph IR: Relay's node types, immutable, behind shared pointers. Start here, then op.h, then ../build.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/type.h"
#include "core/tensor.h"

namespace hone::relay {

enum class ExprKind : uint8_t { kVar, kConstant, kOp, kCall, kTuple, kTupleGetItem, kFunction };
// "Var", "Constant", ... as `inspect --walk` prints them.
std::string_view ExprKindName(ExprKind kind);

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct OpDef;

// Immutable once built. A pass makes new nodes; InferType sets `type` in the copies that it makes. The destructor is
// iterative, so a chain of 1e6 nodes can be dropped.
struct Expr {
  ExprKind kind;
  TypePtr type;  // null before InferType (except a Var's or Constant's own type, if known)

  explicit Expr(ExprKind k, TypePtr t = nullptr) : kind(k), type(std::move(t)) {}
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;
  virtual ~Expr();
};

struct Var : Expr {
  std::string name;  // without the %
  explicit Var(std::string n, TypePtr t = nullptr) : Expr(ExprKind::kVar, std::move(t)), name(std::move(n)) {}
};

struct Constant : Expr {
  Tensor value;
  std::string name;  // of the initializer from which it was made; may be empty
  explicit Constant(Tensor v, std::string n = "");
};

// A registered operator as a node. There is one per operator in the process, so a walk meets it once.
struct Op : Expr {
  const OpDef* def;
  explicit Op(const OpDef* d) : Expr(ExprKind::kOp), def(d) {}
};

struct Call : Expr {
  ExprPtr op;  // an Op or a Function
  std::vector<ExprPtr> args;
  Attrs attrs;
  std::string name;  // the model's own name of the node; may be empty
  Call(ExprPtr o, std::vector<ExprPtr> a, Attrs at, std::string n)
      : Expr(ExprKind::kCall), op(std::move(o)), args(std::move(a)), attrs(std::move(at)), name(std::move(n)) {}
  ~Call() override;
};

struct Tuple : Expr {
  std::vector<ExprPtr> fields;
  explicit Tuple(std::vector<ExprPtr> f) : Expr(ExprKind::kTuple), fields(std::move(f)) {}
  ~Tuple() override;
};

struct TupleGetItem : Expr {
  ExprPtr tuple;
  int index;
  TupleGetItem(ExprPtr t, int i) : Expr(ExprKind::kTupleGetItem), tuple(std::move(t)), index(i) {}
  ~TupleGetItem() override;
};

// Knowledge about a function that one pass leaves for later ones, as a value of its own type. A function carries it and
// printing shows it; Relay does not look into it. Immutable once a function has it.
struct Note {
  virtual ~Note() = default;
  // The attributes that printing adds to the function's own.
  virtual Attrs Printed() const = 0;
};

// The attribute with the name of a function of the module, which calls print as "@name". Each name has one function.
inline constexpr std::string_view kGlobalSymbol = "global_symbol";

// `attrs` holds marks of passes, such as "Primitive" (1: one fused group, one kernel). `note` may be null.
struct Function : Expr {
  std::vector<std::shared_ptr<const Var>> params;
  ExprPtr body;
  Attrs attrs;
  std::shared_ptr<const Note> note;
  Function(std::vector<std::shared_ptr<const Var>> p, ExprPtr b, Attrs a = {}, std::shared_ptr<const Note> n = nullptr)
      : Expr(ExprKind::kFunction), params(std::move(p)), body(std::move(b)), attrs(std::move(a)), note(std::move(n)) {}
  ~Function() override;
};
using FunctionPtr = std::shared_ptr<const Function>;

// The function's note if it has that type, else null. It lives as long as the function.
template <typename T>
const T* NoteOf(const Function& function) {
  return dynamic_cast<const T*>(function.note.get());
}

// A module is its function @main and the functions that are called from it. `params` are values bound to some of main's
// parameters by name. Zoo networks keep their weights there. An ONNX import with frozen weights has Constants instead
// and binds none.
struct IRModule {
  FunctionPtr main;
  std::vector<std::pair<std::string, Tensor>> params;
  std::string name;  // path or zoo name, for people
  // Names of the results, in order; shorter, or with empty names, if the model has none. Passes keep them.
  std::vector<std::string> output_names;
};

// The name of result i: the model's own, else "output" followed by i.
std::string OutputName(const IRModule& module, size_t i);

// Checked downcasts: null if `expr` is null or of another kind.
const Var* AsVar(const ExprPtr& expr);
const Constant* AsConstant(const ExprPtr& expr);
const Op* AsOp(const ExprPtr& expr);
const Call* AsCall(const ExprPtr& expr);
const Tuple* AsTuple(const ExprPtr& expr);
const TupleGetItem* AsTupleGetItem(const ExprPtr& expr);
const Function* AsFunction(const ExprPtr& expr);
// The call, if it calls the operator of that name, else null.
const Call* AsCallTo(const ExprPtr& expr, std::string_view op_name);

// Builders. MakeCall looks up the operator. It checks the number of arguments and each attribute's name and kind
// against its schema, and throws Error(kBug) naming the operator. The call's attributes are complete and in the
// schema's order: those not given have their defaults. A list may be shorter, as in Relay. One number stands for every
// element of the default, two for both ends of each of two axes (padding=[1, 2] is [1, 2, 1, 2]).
ExprPtr MakeVar(std::string name, TypePtr type = nullptr);
ExprPtr MakeConstant(Tensor value, std::string name = "");
ExprPtr MakeCall(std::string_view op_name, std::vector<ExprPtr> args, const Attrs& attrs = {}, std::string name = "");
ExprPtr MakeTuple(std::vector<ExprPtr> fields);
ExprPtr MakeTupleGetItem(ExprPtr tuple, int index);
// The function with other parameters and another body. It keeps attributes and note, and has no type.
std::shared_ptr<Function> WithFields(const Function& function, std::vector<std::shared_ptr<const Var>> params,
                                     ExprPtr body);

}  // namespace hone::relay
