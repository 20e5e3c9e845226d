#include "runtime/load/match_kernels.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/error.h"
#include "core/json/serialize.h"
#include "core/package/package_format.h"
#include "runtime/load/require_of_graph.h"

namespace hone {
namespace {

class KernelMatcher {
 public:
  KernelMatcher(const Plan& plan, const std::vector<Artifact>& compiled, const std::string& name)
      : plan_(plan), name_(name) {
    for (const Artifact& kernel : compiled) {
      if (!kernel.stages.empty()) compiled_[kernel.stages[0].symbol] = &kernel;
    }
  }

  void Match() {
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      MatchKernel(plan_.kernels[i], {"kernel", static_cast<int64_t>(i)});
    }
    for (size_t i = 0; i < plan_.calls.size(); ++i) {
      const PlanCall& call = plan_.calls[i];
      MatchCall(call.operands, call.kernel, {"call", static_cast<int64_t>(i)});
      for (const CallVariant& variant : call.variants) {
        MatchCall(OperandsOf(call, variant), variant.kernel, {"variant of call", static_cast<int64_t>(i)});
      }
    }
  }

 private:
  template <typename Why>
  void Require(bool holds, const GraphPlace& where, const Why& why) const {
    RequireOfGraph(holds, name_, where, why);
  }

  void MatchKernel(const PlanKernel& kernel, const GraphPlace& where) {
    const auto known = compiled_.find(kernel.stages[0].symbol);
    Require(known != compiled_.end(), where,
            [&] { return fmt::format("the lib has no '{}'", kernel.stages[0].symbol); });
    const Artifact& compiled = *known->second;
    Require(kernel.stages == compiled.stages && kernel.shared_workspace_bytes == compiled.shared_workspace_bytes, where,
            "its stages or workspaces are not those that it was compiled with");
    matched_.push_back(&compiled);
  }

  void MatchCall(const std::vector<PlanView>& views, int kernel, const GraphPlace& where) const {
    const std::vector<KernelOperand>& operands = matched_[static_cast<size_t>(kernel)]->operands;
    Require(views.size() == operands.size(), where,
            [&] { return fmt::format("{} operands; its kernel was compiled for {}", views.size(), operands.size()); });
    for (size_t i = 0; i < operands.size(); ++i) {
      MatchOperand(views[i], operands[i], {where.what, where.number, static_cast<int64_t>(i)});
    }
  }

  void MatchOperand(const PlanView& view, const KernelOperand& operand, const GraphPlace& where) const {
    const PlanBuffer& buffer = plan_.buffers[static_cast<size_t>(view.buffer)];
    const auto given = [&] { return fmt::format("buffer '{}'", buffer.name); };
    Require(buffer.dtype == operand.dtype, where, [&] {
      return fmt::format("{} is {}; the kernel was compiled for {}", given(), DTypeName(buffer.dtype),
                         DTypeName(operand.dtype));
    });
    const bool writable = buffer.kind != BufferKind::kInput && buffer.kind != BufferKind::kParam;
    Require(operand.role != OperandRole::kOutput || writable, where, [&] { return given() + " cannot be written"; });
    Require(view.batch_stride_bytes % DTypeBytes(operand.dtype) == 0, where,
            [&] { return fmt::format("batch stride {}", view.batch_stride_bytes); });
    Require(Fits(operand, view.batch_stride_bytes, buffer.size_bytes - view.offset_bytes), where, [&] {
      return fmt::format("{} is too small: the kernel was compiled for {} {}{}", given(), DTypeName(operand.dtype),
                         ShapeText(operand.shape), operand.layout.empty() ? "" : " " + operand.layout.ToText());
    });
  }

  // A kernel may use the call's stride between images or walk them one behind the other. The operand must fit both
  // ways.
  static bool Fits(const KernelOperand& operand, int64_t stride_bytes, int64_t room_bytes) {
    const int64_t bytes = PhysicalBytes(operand), images = PhysicalImages(operand);
    if (bytes > room_bytes) return false;
    return images <= 1 || stride_bytes <= (room_bytes - bytes / images) / (images - 1);
  }

  const Plan& plan_;
  const std::string& name_;
  std::map<std::string, const Artifact*> compiled_;  // keyed by their first stage's symbol
  std::vector<const Artifact*> matched_;             // indexed by the plan's kernel number
};

}  // namespace

std::vector<Artifact> ReadKernelTable(std::string_view text, const std::string& name) {
  const std::string what = fmt::format("{}: lib: {}", name, kKernelTableSymbol);
  if (text.empty()) throw Error(ExitCode::kBadData, what + " is missing: what the kernels were compiled for");
  const Json table = ParseJson(text, what);
  if (!table.is_array()) throw Error(ExitCode::kBadData, what + " is no list");
  std::vector<Artifact> kernels;
  try {
    for (const Json& kernel : table) {
      kernels.push_back(ArtifactFromJson(kernel));
      for (const KernelOperand& operand : kernels.back().operands) PhysicalBytes(operand);
    }
  } catch (const Error& error) {
    throw Error(ExitCode::kBadData, fmt::format("{}: {}", what, error.what()));
  }
  return kernels;
}

void MatchKernels(const Plan& plan, const std::vector<Artifact>& compiled, const std::string& name) {
  KernelMatcher(plan, compiled, name).Match();
}

}  // namespace hone
