#include "runtime/load/validate_plan.h"

#include <fmt/format.h>

#include <vector>

#include "core/error.h"
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
    Require(plan_.version == kPlanVersion, {"the graph"},
            [&] { return fmt::format("version {}; this hone runs version {}", plan_.version, kPlanVersion); });
    Require(InRange(plan_.arena_bytes), {"arena"}, [&] { return fmt::format("{} bytes", plan_.arena_bytes); });
    Require(plan_.params_bytes == params_bytes_, {"params"},
            [&] { return fmt::format("{} bytes planned, the section has {}", plan_.params_bytes, params_bytes_); });
    for (const PlanBuffer& buffer : plan_.buffers) ValidateBuffer(buffer);
    ValidateList(plan_.inputs, BufferKind::kInput, {"inputs"});
    ValidateList(plan_.outputs, BufferKind::kOutput, {"outputs"});
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
    }
    for (size_t i = 0; i < listed.size(); ++i) {
      Require(listed[i] || plan_.buffers[i].kind != kind, where,
              [&] { return fmt::format("buffer {} is left out", i); });
    }
  }

  // Marks the count's buffer as listed; several axes may share it.
  void ValidateCounted(const CountedAxis& counted, std::vector<bool>& listed) const {
    const auto below = [](int i, size_t size) { return static_cast<size_t>(i) < size; };  // a negative one is huge
    bool fits = below(counted.count, plan_.buffers.size());
    if (fits) {
      const PlanBuffer& count = plan_.buffers[counted.count];
      fits = count.kind == BufferKind::kOutput && count.dtype == DType::kInt64 && count.size_bytes == 8;
      listed[counted.count] = true;
    }
    if (counted.output != -1) {
      fits = fits && below(counted.output, plan_.outputs.size()) && plan_.outputs[counted.output] != counted.count;
      const Shape* const shape = fits ? &plan_.buffers[plan_.outputs[counted.output]].shape : nullptr;
      fits = fits && below(counted.axis, shape->size()) && counted.most == (*shape)[counted.axis];
    }
    Require(fits && counted.most >= 0, {"counted"},
            [&] { return fmt::format("axis {} of output {} does not fit its count", counted.axis, counted.output); });
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
    Require(result == BufferKind::kOutput || result == BufferKind::kArena, where, "writes to an input or a parameter");
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
