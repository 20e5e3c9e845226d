#include "runtime/load/validate_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runtime/load/require_of_graph.h"

namespace hone {
namespace {

// The limit of every single size. It fits in memory, and sums of a few sizes do not overflow.
constexpr int64_t kMostBytes = int64_t{1} << (sizeof(size_t) == 8 ? 42 : 30);
constexpr int64_t kBufferAlign = 64;

class PlanValidator {
 public:
  PlanValidator(const Plan& plan, int64_t params_bytes, const std::string& name)
      : plan_(plan), params_bytes_(params_bytes), name_(name) {}

  void Validate() const {
    Require(plan_.version >= 1 && plan_.version <= kPlanVersion, {"the graph"},
            [&] { return fmt::format("version {}; this hone runs 1 to {}", plan_.version, kPlanVersion); });
    Require(InRange(plan_.arena_bytes), {"arena"}, [&] { return fmt::format("{} bytes", plan_.arena_bytes); });
    Require(plan_.params_bytes == params_bytes_, {"params"},
            [&] { return fmt::format("{} bytes planned, the section has {}", plan_.params_bytes, params_bytes_); });
    for (const PlanBuffer& buffer : plan_.buffers) ValidateBuffer(buffer);
    ValidateList(plan_.inputs, BufferKind::kInput, {"inputs"});
    ValidateList(plan_.outputs, BufferKind::kOutput, {"outputs"});
    ValidateStates();
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      ValidateKernel(plan_.kernels[i], {"kernel", static_cast<int64_t>(i)});
    }
    for (size_t i = 0; i < plan_.calls.size(); ++i) ValidateCall(plan_.calls[i], {"call", static_cast<int64_t>(i)});
  }

 private:
  template <typename Why>
  void Require(bool holds, const GraphPlace& where, const Why& why) const {
    RequireOfGraph(holds, name_, where, why);
  }
  static bool InRange(int64_t bytes) { return bytes >= 0 && bytes <= kMostBytes; }

  Shape PhysicalShapeOf(const PlanBuffer& buffer, const GraphPlace& where) const {
    for (const int64_t dim : buffer.shape) Require(dim >= 0, where, "a negative dimension");
    if (buffer.layout.empty()) return buffer.shape;
    Require(buffer.layout.LogicalAxes().size() == buffer.shape.size(), where, [&] {
      return fmt::format("layout {} does not fit shape {}", buffer.layout.ToText(), ShapeText(buffer.shape));
    });
    return buffer.layout.PhysicalShape(buffer.shape);
  }

  void ValidateBuffer(const PlanBuffer& buffer) const {
    const GraphPlace where{"buffer", -1, -1, buffer.name};
    const int64_t elements = ElementCount(PhysicalShapeOf(buffer, where));
    Require(elements <= kMostBytes && elements * DTypeBytes(buffer.dtype) == buffer.size_bytes, where, [&] {
      return fmt::format("{} bytes, its shape and layout need {} elements", buffer.size_bytes, elements);
    });
    Require(InRange(buffer.offset_bytes) && buffer.offset_bytes % kBufferAlign == 0, where,
            [&] { return fmt::format("offset {}", buffer.offset_bytes); });
    switch (buffer.kind) {
      case BufferKind::kInput:
      case BufferKind::kOutput:
      case BufferKind::kState:
        Require(buffer.offset_bytes == 0 && !buffer.layout.blocked(), where, "the user's memory is plain row-major");
        return;
      case BufferKind::kParam:
        Require(buffer.offset_bytes + buffer.size_bytes <= params_bytes_, where, "ends beyond the params section");
        return;
      case BufferKind::kArena:
        Require(buffer.offset_bytes + buffer.size_bytes <= plan_.arena_bytes, where, "ends beyond the arena");
        return;
    }
    Require(false, where, "an unknown kind");
  }

  void ValidateList(const std::vector<int>& list, BufferKind kind, const GraphPlace& where) const {
    std::vector<bool> listed(plan_.buffers.size(), false);
    for (const int index : list) {
      Require(index >= 0 && static_cast<size_t>(index) < plan_.buffers.size(), where,
              [&] { return fmt::format("no buffer {}", index); });
      Require(plan_.buffers[index].kind == kind, where,
              [&] { return fmt::format("buffer {} is of another kind", index); });
      Require(!listed[index], where, [&] { return fmt::format("buffer {} twice", index); });
      listed[index] = true;
    }
    if (kind == BufferKind::kOutput) {
      for (const CountedAxis& counted : plan_.counted) ValidateCounted(counted, listed);
    } else {
      for (const RangedAxis& ranged : plan_.ranged) ValidateRanged(ranged, listed);
      for (const PlanState& state : plan_.states) {
        if (state.extent >= 0) ValidateStateExtent(state, listed);
      }
    }
    for (size_t i = 0; i < listed.size(); ++i) {
      Require(listed[i] || plan_.buffers[i].kind != kind, where,
              [&] { return fmt::format("buffer {} is left out", i); });
    }
  }

  static bool Below(int i, size_t size) { return static_cast<size_t>(i) < size; }  // a negative one is huge

  bool IsInteger(int buffer) const {
    if (!Below(buffer, plan_.buffers.size())) return false;
    return plan_.buffers[buffer].dtype == DType::kInt64 && plan_.buffers[buffer].size_bytes == 8;
  }

  // Marks the count's buffer as listed; several axes may share it.
  void ValidateCounted(const CountedAxis& counted, std::vector<bool>& listed) const {
    bool fits = IsInteger(counted.count) && plan_.buffers[counted.count].kind == BufferKind::kOutput;
    if (fits) listed[counted.count] = true;
    if (counted.output != -1) {
      fits = fits && Below(counted.output, plan_.outputs.size()) && plan_.outputs[counted.output] != counted.count;
      const Shape* const shape = fits ? &plan_.buffers[plan_.outputs[counted.output]].shape : nullptr;
      fits = fits && Below(counted.axis, shape->size()) && counted.most == (*shape)[counted.axis];
    }
    Require(fits && counted.most >= 0, {"counted"},
            [&] { return fmt::format("axis {} of output {} does not fit its count", counted.axis, counted.output); });
  }

  // Marks the extent's buffer as listed.
  void ValidateRanged(const RangedAxis& ranged, std::vector<bool>& listed) const {
    bool fits = IsInteger(ranged.extent) && plan_.buffers[ranged.extent].kind == BufferKind::kInput;
    if (fits) listed[ranged.extent] = true;
    fits = fits && Below(ranged.input, plan_.inputs.size()) && plan_.inputs[ranged.input] != ranged.extent;
    const Shape* const shape = fits ? &plan_.buffers[plan_.inputs[ranged.input]].shape : nullptr;
    fits = fits && Below(ranged.axis, shape->size()) && ranged.least <= (*shape)[ranged.axis];
    Require(fits && ranged.least >= 0, {"ranged"},
            [&] { return fmt::format("axis {} of input {} does not fit its extent", ranged.axis, ranged.input); });
  }

  // Marks the extent's buffer as listed.
  void ValidateStateExtent(const PlanState& state, std::vector<bool>& listed) const {
    const bool fits = IsInteger(state.extent) && plan_.buffers[state.extent].kind == BufferKind::kInput &&
                      std::find(plan_.inputs.begin(), plan_.inputs.end(), state.extent) == plan_.inputs.end();
    Require(fits, {"states"}, [&] { return fmt::format("buffer {} is no extent of a state", state.extent); });
    listed[state.extent] = true;
  }

  bool IsStateBuffer(int buffer) const {
    return Below(buffer, plan_.buffers.size()) && plan_.buffers[buffer].kind == BufferKind::kState;
  }

  // The number of positions after a run is checked against the capacity before they are counted on.
  bool IsLimited(const PlanState& state) const {
    const int64_t most = plan_.buffers[state.before].shape[state.axis];
    return std::any_of(plan_.counted.begin(), plan_.counted.end(), [&](const CountedAxis& counted) {
      return counted.output == -1 && counted.count == state.count && counted.most == most;
    });
  }

  bool IsState(const PlanState& state) const {
    if (!IsStateBuffer(state.before) || !IsStateBuffer(state.after)) return false;
    const PlanBuffer &before = plan_.buffers[state.before], &after = plan_.buffers[state.after];
    Shape shape = before.shape;
    if (state.axis < 0) return state.extent == -1 && state.count == -1 && IsSame(before, after, shape);
    if (!Below(state.axis, shape.size()) || after.shape.size() != shape.size()) return false;
    if (after.shape[state.axis] < shape[state.axis] || state.extent < 0 || !IsLimited(state)) return false;
    shape[state.axis] = after.shape[state.axis];
    return IsSame(before, after, shape);
  }
  static bool IsSame(const PlanBuffer& before, const PlanBuffer& after, const Shape& shape) {
    return before.dtype == after.dtype && after.shape == shape;
  }

  void ValidateStates() const {
    std::vector<bool> listed(plan_.buffers.size(), false);
    for (size_t i = 0; i < plan_.states.size(); ++i) {
      const PlanState& state = plan_.states[i];
      bool fits = IsState(state) && !listed[state.before] && !listed[state.after];
      for (size_t j = 0; fits && j < i; ++j) {
        fits = plan_.states[j].extent != state.extent || plan_.states[j].count == state.count;
      }
      Require(fits, {"state", static_cast<int64_t>(i)}, "its buffers do not fit each other");
      listed[state.before] = listed[state.after] = true;
    }
    for (size_t i = 0; i < listed.size(); ++i) {
      Require(listed[i] || plan_.buffers[i].kind != BufferKind::kState, {"states"},
              [&] { return fmt::format("buffer {} is left out", i); });
    }
  }

  bool IsParam(int buffer) const { return plan_.buffers[buffer].kind == BufferKind::kParam; }

  // The box lies within its stage's items.
  bool IsWithin(const ItemBox& box, const PlanKernel& kernel) const {
    if (!Below(box.stage, kernel.stages.size()) || box.first < 0 || box.axes.empty()) return false;
    const int64_t extent = kernel.stages[box.stage].extent;
    int64_t items = 1;
    for (const ItemAxis& axis : box.axes) {
      if (axis.items < 1 || axis.items > extent || items > extent / axis.items) return false;
      if (axis.extent != -1 && (!IsInteger(axis.extent) || IsParam(axis.extent))) return false;
      if (axis.scale < 1 || axis.step < 1 || axis.scale > kMostBytes || axis.step > kMostBytes) return false;
      if (axis.plus < 0 || axis.plus > (plan_.version == 1 ? 0 : kMostBytes)) return false;
      items *= axis.items;
    }
    return box.first <= extent - items;
  }

  static int64_t ItemsOf(const ItemBox& box) {
    int64_t items = 1;
    for (const ItemAxis& axis : box.axes) items *= axis.items;
    return items;
  }
  // Boxes are in the order of stages and items, apart from each other.
  static bool IsBehind(const ItemBox& box, const ItemBox& before) {
    return box.stage > before.stage || (box.stage == before.stage && box.first >= before.first + ItemsOf(before));
  }

  void ValidateKernel(const PlanKernel& kernel, const GraphPlace& where) const {
    Require(!kernel.stages.empty(), where, "no stages");
    Require(InRange(kernel.shared_workspace_bytes), where,
            [&] { return fmt::format("a workspace of {} bytes", kernel.shared_workspace_bytes); });
    for (const KernelStage& stage : kernel.stages) {
      Require(!stage.symbol.empty(), where, "a stage without a symbol");
      Require(stage.extent >= 0 && stage.grain >= 1, where,
              [&] { return fmt::format("extent {} and grain {}", stage.extent, stage.grain); });
      Require(InRange(stage.worker_workspace_bytes), where,
              [&] { return fmt::format("a workspace of {} bytes", stage.worker_workspace_bytes); });
    }
  }

  void ValidateView(const PlanView& view, const GraphPlace& where) const {
    Require(view.buffer >= 0 && static_cast<size_t>(view.buffer) < plan_.buffers.size(), where,
            [&] { return fmt::format("no buffer {}", view.buffer); });
    const PlanBuffer& buffer = plan_.buffers[view.buffer];
    const bool inside = view.offset_bytes >= 0 && view.offset_bytes <= buffer.size_bytes &&
                        view.offset_bytes % DTypeBytes(buffer.dtype) == 0;
    Require(inside, where, [&] { return fmt::format("offset {} in buffer '{}'", view.offset_bytes, buffer.name); });
    Require(view.batch_stride_bytes >= 0, where,
            [&] { return fmt::format("batch stride {}", view.batch_stride_bytes); });
  }

  void ValidateCall(const PlanCall& call, const GraphPlace& where) const {
    Require(call.kernel >= 0 && static_cast<size_t>(call.kernel) < plan_.kernels.size(), where,
            [&] { return fmt::format("no kernel {}", call.kernel); });
    Require(!call.operands.empty(), where, "no operands");
    for (const PlanView& view : call.operands) ValidateView(view, where);
    const BufferKind result = plan_.buffers[call.operands.back().buffer].kind;
    Require(result != BufferKind::kInput && result != BufferKind::kParam, where, "writes to an input or a parameter");
    ValidateBoxes(call.boxes, plan_.kernels[call.kernel], where);
    for (size_t i = 0; i < call.variants.size(); ++i) {
      const CallVariant& variant = call.variants[i];
      Require(Below(variant.kernel, plan_.kernels.size()), where,
              [&] { return fmt::format("no kernel {} for variant {}", variant.kernel, i); });
      bool limited = !variant.limits.empty();
      for (const ExtentLimit& limit : variant.limits) {
        limited = limited && IsInteger(limit.extent) && !IsParam(limit.extent);
      }
      Require(limited, where, [&] { return fmt::format("variant {} has no limits, or of no extent", i); });
      for (const VariantParam& param : variant.params) ValidateParam(call, param, where);
      ValidateBoxes(variant.boxes, plan_.kernels[variant.kernel], where);
    }
  }

  void ValidateParam(const PlanCall& call, const VariantParam& param, const GraphPlace& where) const {
    const bool fits = Below(param.operand, call.operands.size()) && Below(param.buffer, plan_.buffers.size()) &&
                      IsParam(call.operands[param.operand].buffer) && IsParam(param.buffer);
    Require(fits, where,
            [&] { return fmt::format("buffer {} for operand {} of a variant", param.buffer, param.operand); });
  }

  void ValidateBoxes(const std::vector<ItemBox>& boxes, const PlanKernel& kernel, const GraphPlace& where) const {
    for (size_t i = 0; i < boxes.size(); ++i) {
      const ItemBox &box = boxes[i], *before = i == 0 ? nullptr : &boxes[i - 1];
      Require(IsWithin(box, kernel) && (before == nullptr || IsBehind(box, *before)), where,
              [&] { return fmt::format("box {} does not fit the items of its stage", i); });
    }
  }

  const Plan& plan_;
  int64_t params_bytes_;
  const std::string& name_;
};

}  // namespace

void ValidatePlan(const Plan& plan, int64_t params_bytes, const std::string& name) {
  PlanValidator(plan, params_bytes, name).Validate();
}

}  // namespace hone
