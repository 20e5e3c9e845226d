#include "compiler/passes/layouts/choose_layouts.h"

#include <map>
#include <unordered_map>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/call_ways.h"
#include "compiler/passes/layouts/layout_report.h"
#include "compiler/passes/layouts/layout_search.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::Function;
using relay::TypePtr;

namespace {

// The attributes with the layouts, which a convolution names there too.
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

// The function on operands and results in the given layouts.
relay::FunctionPtr Retyped(const Function& function, const OperandLayouts& layouts,
                           std::shared_ptr<const relay::Note> note) {
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
  return TypedFunction(std::move(params), inside.at(function.body.get()), function.attrs, std::move(note));
}

Tensor Unpacked(const relay::Constant& constant) {
  const relay::Type& type = *constant.type;
  return type.layout.empty() ? constant.value : Unpack(constant.value, Layout::Parse(type.layout), type.shape);
}

ExprPtr PackedIn(const relay::Constant& constant, const std::string& layout) {
  Tensor value = Unpacked(constant);
  if (!layout.empty()) value = Pack(value, Layout::Parse(layout));
  auto packed = std::make_shared<relay::Constant>(std::move(value), constant.name);
  packed->type = InLayout(constant.type, layout);
  return packed;
}

std::string WeightLayout(const Anchor& anchor, const ConfigChoice& choice) {
  const auto operands = FindSchedule(choice.schedule)->Operands(anchor.workload, choice.config, anchor.epilogue);
  return LayoutName(Nth(operands, WeightOf(anchor)).layout);
}

class LayoutChooser {
 public:
  // Without `layouts` every layer chooses for itself.
  LayoutChooser(ConfigChooser& configs, const LayoutSearch* layouts) : configs_(configs), layouts_(layouts) {}

  ExprPtr Run(const ExprPtr& body) {
    for (const ExprPtr& expr : PostOrder(body)) now_.emplace(expr.get(), Chosen(expr));
    const relay::Tuple* tuple = relay::AsTuple(body);
    return tuple ? now_.at(body.get()) : In(now_.at(body.get()), "");
  }

 private:
  // The value in the layout; the value itself if it has that layout.
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

  // A take costs the same in every layout that it writes.
  static bool WritesAnyLayout(const ExprPtr& value) {
    const Call* call = relay::AsCall(value);
    const Function* function = call ? relay::AsFunction(call->op) : nullptr;
    return function != nullptr && call->args.size() == 1 && ShapeOf(value).size() == 4 &&
           relay::AsCallTo(function->body, "take") != nullptr;
  }

  static ExprPtr WrittenIn(const ExprPtr& value, const std::string& layout) {
    const Call& call = *relay::AsCall(value);
    const Function& function = *relay::AsFunction(call.op);
    return CallOf(Retyped(function, {{call.args[0]->type->layout}, layout}, function.note), call.args, call.name);
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
    std::vector<ExprPtr> args;
    std::vector<TypePtr> types;
    for (const ExprPtr& arg : call.args) {
      args.push_back(now_.at(arg.get()));
      types.push_back(args.back()->type);
    }
    CallWay way = WayOf(call, types);
    for (size_t i = 0; i < types.size(); ++i) {
      if (way.layouts.operands[i] == kAnyLayout) way.layouts.operands[i] = types[i]->layout;
    }
    for (size_t i = 0; i < args.size(); ++i) args[i] = In(args[i], way.layouts.operands[i]);
    const ExprPtr result = CallOf(Retyped(function, way.layouts, NoteOf(call, way)), std::move(args), call.name);
    return layouts_ ? result : In(result, "");
  }

  CallWay WayOf(const Call& call, const std::vector<TypePtr>& types) const {
    if (layouts_) return layouts_->Of(&call);
    const Function& function = *relay::AsFunction(call.op);
    const Anchor* anchor = AnchorOf(function);
    return anchor ? AnchorWays(*anchor, call, configs_).front() : CallWay{LayoutForGroup(function, types)};
  }

  // Gives the variants whose kernels read constant weights in another layout the weights in it, each layout once.
  static void PackForVariants(const Call& call, const std::vector<std::string>& layouts, Anchor& anchor) {
    const size_t place = WeightOf(anchor);
    const relay::Constant* weight = anchor.variants.empty() ? nullptr : relay::AsConstant(call.args[place]);
    if (weight == nullptr) return;
    std::map<std::string, ExprPtr> packed;
    for (AnchorVariant& variant : anchor.variants) {
      const std::string layout = WeightLayout(anchor, variant.choice);
      if (layout == layouts[place]) continue;
      ExprPtr& own = packed[layout];
      if (own == nullptr) own = PackedIn(*weight, layout);
      variant.weight = own;
    }
  }

  static std::shared_ptr<const relay::Note> NoteOf(const Call& call, const CallWay& way) {
    const Function& function = *relay::AsFunction(call.op);
    if (way.anchor == nullptr) return function.note;
    auto chosen = std::make_shared<Anchor>(*AnchorOf(function));
    chosen->choice = way.anchor->choice;
    chosen->variants = way.anchor->variants;
    PackForVariants(call, way.layouts.operands, *chosen);
    return chosen;
  }

  ConfigChooser& configs_;
  const LayoutSearch* layouts_;
  std::unordered_map<const relay::Expr*, ExprPtr> now_;  // old node to new
  std::map<std::pair<const relay::Expr*, std::string>, ExprPtr> transformed_;
  std::unordered_map<const relay::Expr*, ExprPtr> source_of_;  // a transform's result to its argument
};

}  // namespace

relay::IRModule ChooseLayouts(const relay::IRModule& module, const PassContext& context) {
  const ExprPtr& body = module.main->body;
  const MachineModel machine = MachineOf(body, context);
  const NeededResults needed(module, context.build.lengths);
  ConfigChooser configs(context, machine, &needed);
  if (context.build.opt_level < 3) return WithBody(module, LayoutChooser(configs, nullptr).Run(body));
  const LayoutSearch layouts(body, configs, machine);
  relay::IRModule chosen = WithBody(module, LayoutChooser(configs, &layouts).Run(body));
  auto costs = std::make_shared<LayoutCosts>();
  costs->expected_ns = layouts.expected_ns();
  costs->per_layer_ns = layouts.per_layer_ns();
  const Function& main = *chosen.main;
  chosen.main = TypedFunction(main.params, main.body, main.attrs, std::move(costs));
  return chosen;
}

namespace {

relay::ExprPtr Packed(const relay::ExprPtr& node, const Uses&) {
  const relay::Call* call = relay::AsCall(node);
  const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
  if (function == nullptr || relay::AsCallTo(function->body, "layout_transform") == nullptr) return nullptr;
  const relay::Constant* constant = relay::AsConstant(call->args[0]);
  return constant == nullptr ? nullptr : PackedIn(*constant, function->body->type->layout);
}

}  // namespace

relay::IRModule FoldLayouts(const relay::IRModule& module) { return RewriteByRules(module, {Packed}); }

}  // namespace hone
