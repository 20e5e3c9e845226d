#include "compiler/passes/choose_layouts.h"

#include <map>
#include <unordered_map>

#include "compiler/passes/anchor.h"
#include "compiler/passes/config_choice.h"
#include "compiler/passes/group_layout.h"
#include "compiler/passes/layout_text.h"
#include "compiler/passes/typed_graph.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::Function;
using relay::TypePtr;

namespace {

// A convolution names its layouts in its attributes, too.
relay::Attrs WithLayouts(const Call& call, const std::vector<ExprPtr>& args, const std::string& result) {
  relay::Attrs attrs = call.attrs;
  const auto name = [&](const char* attr, const std::string& layout) {
    if (!layout.empty()) attrs.Set(attr, layout);
  };
  name("data_layout", args[0]->type->layout);
  name("kernel_layout", args[1]->type->layout);
  name("out_layout", result.empty() && !args[0]->type->layout.empty() ? "NCHW" : result);
  return attrs;
}

ExprPtr RetypedCall(const Call& call, std::vector<ExprPtr> args, const std::string& layout) {
  const bool tensor = call.type->kind == relay::TypeKind::kTensor;
  const bool conv = relay::AsOp(call.op)->def->name == "nn.conv2d";
  relay::Attrs attrs = conv ? WithLayouts(call, args, layout) : call.attrs;
  const Call renamed(call.op, {}, std::move(attrs), call.name);
  return WithArgs(renamed, std::move(args), tensor ? InLayout(call.type, layout) : call.type);
}

// The same function on operands and results in the given layouts.
relay::FunctionPtr Retyped(const Function& function, const GroupLayout& layouts, relay::Attrs attrs) {
  std::unordered_map<const relay::Expr*, ExprPtr> inside;
  std::vector<std::shared_ptr<const relay::Var>> params;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const relay::Var& old = *function.params[i];
    params.push_back(std::make_shared<relay::Var>(old.name, InLayout(old.type, layouts.operands[i])));
    inside.emplace(&old, params.back());
  }
  for (const ExprPtr& expr : PostOrder(function.body)) {
    std::vector<ExprPtr> children;
    if (const Call* call = relay::AsCall(expr)) {
      for (const ExprPtr& arg : call->args) children.push_back(inside.at(arg.get()));
      inside.emplace(expr.get(), RetypedCall(*call, std::move(children), layouts.result));
    } else if (const relay::Tuple* tuple = relay::AsTuple(expr)) {
      for (const ExprPtr& field : tuple->fields) children.push_back(inside.at(field.get()));
      inside.emplace(expr.get(), TypedTuple(children));
    } else {
      inside.emplace(expr.get(), expr);
    }
  }
  return TypedFunction(std::move(params), inside.at(function.body.get()), std::move(attrs));
}

class LayoutChooser {
 public:
  explicit LayoutChooser(const PassContext& context) : context_(context), configs_(context) {}

  ExprPtr Run(const ExprPtr& body) {
    for (const ExprPtr& expr : PostOrder(body)) now_.emplace(expr.get(), Chosen(expr));
    const relay::Tuple* tuple = relay::AsTuple(body);
    return tuple ? now_.at(body.get()) : In(now_.at(body.get()), "");
  }

 private:
  // The value in the layout: itself when it lies so.
  ExprPtr In(const ExprPtr& value, const std::string& layout) {
    if (value->type->kind != relay::TypeKind::kTensor || value->type->layout == layout) return value;
    const auto source = source_of_.find(value.get());
    const ExprPtr& from = source == source_of_.end() ? value : source->second;
    if (from->type->layout == layout) return from;
    ExprPtr& transformed = transformed_[{from.get(), layout}];
    if (transformed == nullptr) {
      transformed = WritesAnyLayout(from) ? WrittenIn(from, layout) : Transform(from, layout);
      source_of_.emplace(transformed.get(), from);
    }
    return transformed;
  }

  // A selection of channels costs the same wherever it writes them.
  static bool WritesAnyLayout(const ExprPtr& value) {
    const Call* call = relay::AsCall(value);
    const Function* function = call ? relay::AsFunction(call->op) : nullptr;
    return function != nullptr && call->args.size() == 1 && ShapeOf(value).size() == 4 &&
           relay::AsCallTo(function->body, "take") != nullptr;
  }

  static ExprPtr WrittenIn(const ExprPtr& value, const std::string& layout) {
    const Call& call = *relay::AsCall(value);
    const Function& function = *relay::AsFunction(call.op);
    return CallOf(Retyped(function, {{call.args[0]->type->layout}, layout}, function.attrs), call.args, call.name);
  }

  static ExprPtr Transform(const ExprPtr& value, const std::string& layout) {
    const std::string& now = value->type->layout;
    const relay::Attrs attrs{{"src_layout", now.empty() ? RowMajorText(layout) : now},
                             {"dst_layout", layout.empty() ? RowMajorText(now) : layout}};
    auto var = std::make_shared<relay::Var>("p0", value->type);
    const ExprPtr checked = relay::MakeCall("layout_transform", {var}, attrs);
    ExprPtr body = WithArgs(*relay::AsCall(checked), {var}, InLayout(value->type, layout));
    return CallOf(TypedFunction({std::move(var)}, std::move(body), {{"Primitive", int64_t{1}}}), {value});
  }

  ExprPtr Chosen(const ExprPtr& expr) {
    if (const Call* call = relay::AsCall(expr)) return ChosenCall(*call);
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
      return TypedItem(now_.at(item->tuple.get()), item->index);
    }
    const relay::Tuple* tuple = relay::AsTuple(expr);
    if (tuple == nullptr) return expr;
    std::vector<ExprPtr> fields;
    for (const ExprPtr& field : tuple->fields) fields.push_back(In(now_.at(field.get()), ""));
    return TypedTuple(std::move(fields));
  }

  ExprPtr ChosenCall(const Call& call) {
    const Function& function = *relay::AsFunction(call.op);
    relay::Attrs attrs = function.attrs;
    std::vector<ExprPtr> args;
    std::vector<TypePtr> types;
    for (const ExprPtr& arg : call.args) {
      args.push_back(now_.at(arg.get()));
      types.push_back(args.back()->type);
    }
    const std::optional<Anchor> anchor = AnchorOf(function);
    const GroupLayout layouts = anchor
                                    ? ForAnchor(*anchor, relay::AsConstant(args[WeightOf(*anchor)]) != nullptr, attrs)
                                    : LayoutForGroup(function, types);
    for (size_t i = 0; i < args.size(); ++i) args[i] = In(args[i], layouts.operands[i]);
    const ExprPtr result = CallOf(Retyped(function, layouts, std::move(attrs)), std::move(args), call.name);
    return context_.opt_level < 3 ? In(result, "") : result;
  }

  // Behind the data and the prologue's scale and shift.
  static size_t WeightOf(const Anchor& anchor) { return anchor.workload.prologue == Prologue::kNone ? 1 : 3; }

  GroupLayout ForAnchor(const Anchor& anchor, bool constant_weights, relay::Attrs& attrs) {
    const ConfigChoice& choice = configs_.For(anchor.workload, constant_weights);
    attrs.Set("workload", anchor.workload.ToText());
    attrs.Set("epilogue", anchor.epilogue.ToText());
    attrs.Set("schedule", choice.schedule);
    attrs.Set("config", choice.config.ToText());
    attrs.Set("source", choice.source);
    attrs.Set("record", choice.record);
    attrs.Set("expected_ns", choice.expected_ns);
    GroupLayout layouts;
    for (const KernelOperand& operand :
         FindSchedule(choice.schedule)->Operands(anchor.workload, choice.config, anchor.epilogue)) {
      layouts.operands.push_back(LayoutName(operand.layout));
    }
    layouts.result = layouts.operands.back();
    layouts.operands.pop_back();
    return layouts;
  }

  const PassContext& context_;
  ConfigChooser configs_;
  std::unordered_map<const relay::Expr*, ExprPtr> now_;  // old node to new
  std::map<std::pair<const relay::Expr*, std::string>, ExprPtr> transformed_;
  std::unordered_map<const relay::Expr*, ExprPtr> source_of_;  // a transform's result to its argument
};

}  // namespace

relay::IRModule ChooseLayouts(const relay::IRModule& module, const PassContext& context) {
  return WithBody(module, LayoutChooser(context).Run(module.main->body));
}

}  // namespace hone
