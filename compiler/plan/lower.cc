#include "compiler/plan/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/generic/memory_shape.h"
#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/plan/buffer_view.h"
#include "compiler/plan/call_extents.h"
#include "compiler/plan/call_function.h"
#include "compiler/plan/check_plan.h"
#include "compiler/plan/item_boxes.h"
#include "compiler/plan/kernel_table.h"
#include "compiler/plan/skipped_calls.h"
#include "compiler/plan/states_in_place.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/state_values.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::FunctionPtr;
using relay::TypePtr;

namespace {

void RequireKnownShape(const TypePtr& type, const std::string& node) {
  for (const TypePtr& field : type->fields) RequireKnownShape(field, node);
  if (std::find(type->shape.begin(), type->shape.end(), relay::kAnyDim) == type->shape.end()) return;
  throw Error(ExitCode::kBadData,
              fmt::format("{} has type {} with a dimension that is not known; fix the input's shape", node,
                          relay::ToText(type)));
}

class Lowering {
 public:
  Lowering(const relay::IRModule& module, const BuildContext& context)
      : module_(module), needed_(module), order_(OrderOf(*module.main)), kernels_(context.target) {
    plan().model = module.name;
    plan().target = context.target;
    plan().threads = context.threads;
  }

  // `compiled`: whether to include the kernels' code and stages; `known`: kernels that need no compiling.
  Lowered Run(bool compiled, CompiledKernels* known = nullptr) {
    places_ = PlaceConcats(order_);
    states_ = relay::StateValues(*module_.main, ResultTypes());
    in_place_ = StatesInPlace(module_, order_, states_);
    AddInputs();
    for (const ExprPtr& expr : order_) LowerExpr(expr);
    AddOutputs();
    CallExtents extents(module_, needed_, views_, call_of_, plan());
    extents.AddVariants(order_, functions_, kernels_, [this](const relay::Constant& c) { return AddParam(c).buffer; });
    if (compiled) kernels_.Compile(known);
    if (compiled) {
      extents.AddBoxes(kernels_, copies_);
      SkipCalls(plan(), functions_, lowered_.params, [this](int i) -> auto& { return kernels_.StagesOf(i); });
    }
    PlanMemory(plan());
    CheckPlan(plan(), functions_);
    CheckSkips(plan(), functions_, lowered_.params);
    plan().params_bytes = lowered_.params.size();
    plan().kernels = kernels_.PlanKernels();
    lowered_.kernel_keys = kernels_.Keys();
    if (compiled) lowered_.estimate_ns = kernels_.EstimatesNs(plan().threads, plan().params_bytes);
    if (compiled) lowered_.objects = kernels_.TakeObjects();
    for (const PlanCall& call : plan().calls) lowered_.flops += call.flops;
    return std::move(lowered_);
  }

 private:
  Plan& plan() { return lowered_.plan; }

  PlanView AddBuffer(std::string name, BufferKind kind, const relay::Type& type) {
    PlanBuffer buffer;
    buffer.name = std::move(name);
    buffer.kind = kind;
    buffer.dtype = type.dtype;
    buffer.shape = type.shape;
    if (!type.layout.empty()) buffer.layout = Layout::Parse(type.layout);
    buffer.size_bytes = PhysicalBytes(type);
    plan().buffers.push_back(std::move(buffer));
    return {static_cast<int>(plan().buffers.size()) - 1, 0, BatchStride(type)};
  }

  void AddInputs() {
    const std::vector<relay::RangedInput> ranged = relay::RangedInputs(*module_.main);
    std::vector<int> numbers;  // of each parameter in Plan::inputs
    for (size_t i = 0; i < module_.main->params.size(); ++i) {
      const relay::Var& var = *module_.main->params[i];
      RequireKnownShape(var.type, "input " + var.name);
      const bool is_extent = relay::IsExtent(ranged, static_cast<int64_t>(i)), is_state = IsState(i);
      const PlanView view = AddBuffer(is_extent ? relay::DimensionName(var) : var.name,
                                      is_state ? BufferKind::kState : BufferKind::kInput, *var.type);
      views_[&var] = {view};
      numbers.push_back(static_cast<int>(plan().inputs.size()));
      if (!is_extent && !is_state) plan().inputs.push_back(view.buffer);
    }
    for (const relay::RangedInput& each : ranged) {
      if (IsState(each.input)) continue;
      const PlanView& extent = views_[Nth(module_.main->params, each.extent).get()].at(0);
      plan().ranged.push_back({Nth(numbers, each.input), static_cast<int>(each.axis), extent.buffer, each.least});
    }
  }

  bool IsState(size_t param) const {
    return std::any_of(states_.begin(), states_.end(),
                       [&](const relay::StateValue& each) { return each.input == static_cast<int64_t>(param); });
  }

  // Passes make a constant for each call that reads it packed, transposed or scaled; equal ones are stored once.
  PlanView AddParam(const relay::Constant& constant) {
    const std::string_view bytes(static_cast<const char*>(constant.value.raw()),
                                 static_cast<size_t>(constant.value.size_bytes()));
    const auto [it, is_new] = params_.try_emplace({relay::ToText(constant.type), bytes});
    if (!is_new) return it->second;
    it->second = AddBuffer(constant.name, BufferKind::kParam, *constant.type);
    plan().buffers.back().offset_bytes = lowered_.params.Add(constant.value, kBufferAlign);
    return it->second;
  }

  const std::vector<PlanView>& ViewsOf(const ExprPtr& expr) {
    const auto [it, is_new] = views_.try_emplace(expr.get());
    if (const relay::Constant* constant = relay::AsConstant(expr); is_new && constant)
      it->second = {AddParam(*constant)};
    return it->second;
  }

  void LowerExpr(const ExprPtr& expr) {
    if (relay::AsCall(expr) != nullptr) {
      LowerCall(expr);
    } else if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
      views_[expr.get()] = {ViewsOf(item->tuple).at(static_cast<size_t>(item->index))};
    } else if (const relay::Tuple* tuple = relay::AsTuple(expr)) {
      std::vector<PlanView> views;
      for (const ExprPtr& field : tuple->fields) views.push_back(ViewsOf(field).at(0));
      views_[expr.get()] = std::move(views);
    }
  }

  void LowerCall(const ExprPtr& expr) {
    const Call& call = *relay::AsCall(expr);
    const relay::Function* function = relay::AsFunction(call.op);
    if (function == nullptr)
      throw Error(ExitCode::kBug, "a call of an operator reached lowering: run the passes first");
    RequireKnownShape(call.type, call.name.empty() ? Summarise(*function).op : call.name);
    if (const auto concat = places_.slices.find(expr.get()); concat != places_.slices.end()) {
      return LowerConcat(expr, concat->second);
    }
    if (!call.args.empty()) {
      if (const auto view = AsView(*function, ViewsOf(call.args[0]).at(0))) {
        views_[expr.get()] = {*view};
        return;
      }
    }
    std::vector<PlanView> operands;
    for (const ExprPtr& arg : call.args) operands.push_back(ViewsOf(arg).at(0));
    auto primitive = std::static_pointer_cast<const relay::Function>(call.op);
    if (in_place_.contains(expr.get())) {
      slots_[expr.get()] = operands[StateArgument(*function)];
      primitive = WritingInPlace(*function);
    }
    if (auto ends = EndsOf(call, needed_); !ends.empty()) primitive = WithEnds(primitive, std::move(ends));
    const std::vector<PlanView> results = ResultsOf(expr, Summarise(*function).op);
    operands.insert(operands.end(), results.begin(), results.end());
    views_[expr.get()] = results;
    if (AddCall(primitive, std::move(operands))) {
      call_of_[expr.get()] = plan().calls.size() - 1;
    }
  }

  static PlanView SliceOf(const PlanView& whole, const ConcatSlice& slice) {
    const int64_t first = whole.offset_bytes + slice.first_image * whole.batch_stride_bytes;
    return {whole.buffer, first + slice.offset_bytes, whole.batch_stride_bytes};
  }

  void LowerConcat(const ExprPtr& expr, const std::vector<ConcatSlice>& slices) {
    const PlanView whole = SlotOf(expr, "concatenate");
    for (const ConcatSlice& slice : slices) {
      const PlanView to = SliceOf(whole, slice);
      const PlanView& now = ViewsOf(slice.field).at(0);
      if (now != to) AddCopy({now, to}, slice.field->type, NeededOfArgument(*relay::AsCall(expr), slice.field));
    }
    views_[expr.get()] = {whole};
  }

  NeededAxes NeededOfArgument(const Call& call, const ExprPtr& argument) const {
    const auto place = std::find(call.args.begin(), call.args.end(), argument) - call.args.begin();
    return needed_.Within(call, *Nth(relay::AsFunction(call.op)->params, place));
  }

  // Copies the needed part of a value. Returns whether that takes a call.
  bool AddCopy(std::vector<PlanView> operands, const TypePtr& type, NeededAxes needed) {
    std::vector<int64_t> ends;
    AddEnds(0, needed, ends);
    const FunctionPtr function = ends.empty() ? CopyFunction(type) : WithEnds(CopyFunction(type), ends);
    if (!AddCall(function, std::move(operands))) return false;
    if (!ends.empty()) copies_.emplace(plan().calls.size() - 1, std::move(needed));
    return true;
  }

  std::vector<PlanView> ResultsOf(const ExprPtr& expr, const std::string& op) {
    if (expr->type->kind == relay::TypeKind::kTensor) return {SlotOf(expr, op)};
    std::vector<PlanView> views;
    for (const TypePtr& field : expr->type->fields) views.push_back(AddBuffer(op, BufferKind::kArena, *field));
    return views;
  }

  // The view that a call writes: a slice of the concatenation in which it is placed, else its own buffer. Placed calls
  // come before their concatenation, so the first one to be lowered makes its buffer.
  PlanView SlotOf(const ExprPtr& expr, const std::string& op) {
    const auto known = slots_.find(expr.get());
    if (known != slots_.end()) return known->second;
    const auto place = places_.places.find(expr.get());
    PlanView slot;
    if (place == places_.places.end()) {
      const std::string& name = relay::AsCall(expr)->name;
      slot = AddBuffer(name.empty() ? op : name, BufferKind::kArena, *expr->type);
    } else {
      slot = SliceOf(SlotOf(place->second.concat, "concatenate"), place->second.slice);
    }
    return slots_[expr.get()] = slot;
  }

  PlanView DenseCopy(const PlanView& view, const TypePtr& type) {
    const PlanView copy = AddBuffer("copy", BufferKind::kArena, *type);
    AddCall(CopyFunction(type), {view, copy});
    return copy;
  }

  // The function for operands with these places. An operand whose images must follow each other directly is copied
  // first.
  FunctionPtr Fitted(const FunctionPtr& function, std::vector<PlanView>& operands) {
    const std::vector<TypePtr> types = OperandTypes(*function);
    std::vector<int64_t> apart;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (IsDense(operands[i], *types[i])) continue;
      if (StepsBetweenImages(*function, i)) {
        apart.push_back(static_cast<int64_t>(i));
      } else {
        operands[i] = DenseCopy(operands[i], types[i]);
      }
    }
    return apart.empty() ? function : WithImagesApart(function, std::move(apart));
  }

  // A call that writes no element is left out; then the result is false.
  bool AddCall(const FunctionPtr& primitive, std::vector<PlanView> operands) {
    const auto holds = [&](const PlanView& view) { return Nth(plan().buffers, view.buffer).size_bytes > 0; };
    const auto results = operands.begin() + static_cast<int64_t>(primitive->params.size());
    if (std::none_of(results, operands.end(), holds)) return false;
    const FunctionPtr function = Fitted(primitive, operands);
    const FunctionSummary summary = Summarise(*function);
    functions_.push_back(function);
    PlanCall call;
    call.kernel = kernels_.IndexOf(function);
    for (size_t i = 0; i < function->params.size(); ++i) read_.insert(operands[i].buffer);
    call.operands = std::move(operands);
    call.op = summary.op;
    call.nodes = summary.nodes;
    if (const Anchor* anchor = AnchorOf(*function)) call.flops = anchor->workload.Flops();
    if (const Attention* attention = AttentionOf(*function)) call.flops = attention->Flops();
    plan().calls.push_back(std::move(call));
    return true;
  }

  // A result's buffer becomes the user's if kernels wrote all of it and it is no other result. Kernels may read it
  // there. Only a single integer stays the session's, because it may be an extent.
  bool CanBeOutput(const PlanView& view, const relay::Type& type, BufferKind kind) {
    const PlanBuffer& buffer = Nth(plan().buffers, view.buffer);
    const bool may_be_extent = buffer.dtype == DType::kInt64 && buffer.size_bytes == DTypeBytes(DType::kInt64);
    return buffer.kind == BufferKind::kArena && view.offset_bytes == 0 && buffer.size_bytes == PhysicalBytes(type) &&
           (kind == BufferKind::kState || !may_be_extent || !read_.contains(view.buffer));
  }

  // The fields of main's tuple, or its only result.
  std::vector<ExprPtr> Results() const {
    const ExprPtr& body = module_.main->body;
    const relay::Tuple* tuple = relay::AsTuple(body);
    return tuple ? tuple->fields : std::vector<ExprPtr>{body};
  }

  std::vector<TypePtr> ResultTypes() const {
    std::vector<TypePtr> types;
    for (const ExprPtr& result : Results()) {
      const bool several = result->type->kind == relay::TypeKind::kTuple;
      const std::vector<TypePtr> one{result->type};
      for (const TypePtr& type : several ? result->type->fields : one) types.push_back(type);
    }
    return types;
  }

  void AddOutputs() {
    const std::vector<TypePtr> types = ResultTypes();
    std::vector<PlanView> views;
    for (const ExprPtr& result : Results()) {
      for (const PlanView& view : ViewsOf(result)) views.push_back(view);
    }
    const std::vector<relay::CountedOutput> counted = relay::CountedOutputs(*module_.main, views.size());
    const size_t own = relay::OwnOutputs(counted, views.size());
    const std::vector<int64_t> kept = relay::StateResults(*module_.main);
    std::vector<int> buffers;
    std::vector<int> places;  // of each result in Plan::outputs
    for (size_t i = 0; i < views.size(); ++i) {
      const bool is_state = std::count(kept.begin(), kept.end(), static_cast<int64_t>(i)) > 0;
      const std::string name = i < own ? relay::OutputName(module_, i) : relay::NameOfCount(module_, counted, i);
      places.push_back(static_cast<int>(plan().outputs.size()));
      buffers.push_back(AddOutput(views[i], types.at(i), name, is_state ? BufferKind::kState : BufferKind::kOutput, i));
      if (i < own && !is_state) plan().outputs.push_back(buffers.back());
    }
    for (const relay::CountedOutput& each : counted) {
      if (std::count(kept.begin(), kept.end(), each.output) > 0) continue;
      const int place = each.output < 0 ? -1 : Nth(places, each.output);
      plan().counted.push_back({place, static_cast<int>(each.axis), Nth(buffers, each.count), each.most});
    }
    AddStates(buffers);
  }

  // `buffers` are those of main's results.
  void AddStates(const std::vector<int>& buffers) {
    const auto of_param = [&](int64_t param) { return views_.at(Nth(module_.main->params, param).get()).at(0).buffer; };
    for (const relay::StateValue& each : states_) {
      PlanState state{of_param(each.input), Nth(buffers, each.output), static_cast<int>(each.axis)};
      if (each.axis >= 0) state.extent = of_param(each.extent);
      if (each.axis >= 0) state.count = Nth(buffers, each.count);
      plan().states.push_back(state);
    }
  }

  bool IsWrittenInPlace(const PlanView& view) const {
    return std::any_of(in_place_.begin(), in_place_.end(),
                       [&](const relay::Expr* append) { return views_.at(append).at(0) == view; });
  }

  // Returns the buffer's number.
  int AddOutput(const PlanView& view, const TypePtr& type, const std::string& name, BufferKind kind, size_t result) {
    if (kind == BufferKind::kState && IsWrittenInPlace(view)) return view.buffer;
    if (!CanBeOutput(view, *type, kind)) {
      const PlanView copy = AddBuffer(name, kind, *type);
      AddCopy({view, copy}, type, kind == BufferKind::kState ? NeededAxes() : needed_.OfResult(result));
      return copy.buffer;
    }
    PlanBuffer& buffer = Nth(plan().buffers, view.buffer);
    buffer.name = name;
    buffer.kind = kind;
    buffer.shape = type->shape;
    buffer.layout = Layout();
    return view.buffer;
  }

  const relay::IRModule& module_;
  const NeededExtents needed_;
  std::vector<ExprPtr> order_;
  KernelTable kernels_;
  ConcatPlaces places_;
  std::vector<relay::StateValue> states_;
  std::set<const relay::Expr*> in_place_;  // the calls that write a state where the run found it
  Lowered lowered_;
  std::vector<FunctionPtr> functions_;  // the functions of the plan's calls
  ExprViews views_;
  std::unordered_map<const relay::Expr*, PlanView> slots_;
  CallNumbers call_of_;
  std::map<size_t, NeededAxes> copies_;  // the needed parts of values that calls copy, by the call's number
  std::map<std::pair<std::string, std::string_view>, PlanView> params_;  // by type and bytes, which the module owns
  std::set<int> read_;                                                   // buffers that some call reads
};

}  // namespace

Lowered Lower(const relay::IRModule& optimized, const BuildContext& context, CompiledKernels* kernels) {
  return Lowering(optimized, context).Run(true, kernels);
}

Lowered LowerWithoutCode(const relay::IRModule& optimized, const BuildContext& context) {
  return Lowering(optimized, context).Run(false);
}

}  // namespace hone
