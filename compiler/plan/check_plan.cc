#include "compiler/plan/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/generic/memory_shape.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/plan/buffer_view.h"
#include "compiler/plan/item_boxes.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {
namespace {

// Disjoint runs of bytes [begin, end), neighbours joined.
class Runs {
 public:
  bool Cover(int64_t begin, int64_t end) const {
    const auto run = At(begin);
    return begin >= end || (run != runs_.end() && run->second >= end);
  }
  // False if some of the bytes are already in a run.
  bool Add(int64_t begin, int64_t end) {
    if (begin >= end) return true;
    auto next = runs_.lower_bound(begin);
    if (next != runs_.end() && next->first < end) return false;
    if (next != runs_.begin()) {
      const auto before = std::prev(next);
      if (before->second > begin) return false;
      if (before->second == begin) {
        begin = before->first;
        runs_.erase(before);
      }
    }
    if (next != runs_.end() && next->first == end) {
      end = next->second;
      runs_.erase(next);
    }
    runs_[begin] = end;
    return true;
  }

 private:
  // The run that holds the byte, or end().
  std::map<int64_t, int64_t>::const_iterator At(int64_t byte) const {
    const auto next = runs_.upper_bound(byte);
    if (next == runs_.begin()) return runs_.end();
    const auto run = std::prev(next);
    return run->second > byte ? run : runs_.end();
  }

  std::map<int64_t, int64_t> runs_;
};

class PlanCheck {
 public:
  PlanCheck(const Plan& plan, const std::vector<relay::FunctionPtr>& functions)
      : plan_(plan), functions_(functions), written_(plan.buffers.size()), last_use_(plan.buffers.size(), -1) {}

  void Run() {
    Require(functions_.size() == plan_.calls.size(), "the plan", "calls that run nothing known");
    for (size_t i = 0; i < plan_.calls.size(); ++i) {
      for (const PlanView& view : plan_.calls[i].operands)
        last_use_.at(static_cast<size_t>(view.buffer)) = static_cast<int64_t>(i);
      for (const int extent : ExtentsOf(plan_.calls[i]))
        last_use_.at(static_cast<size_t>(extent)) = static_cast<int64_t>(i);
    }
    for (size_t i = 0; i < plan_.calls.size(); ++i) CheckCall(i);
    for (const int output : plan_.outputs) RequireWritten(output);
    for (const PlanState& state : plan_.states) RequireWritten(state.after);
  }

 private:
  static void Require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) throw Error(ExitCode::kBug, fmt::format("the plan is wrong: {}: {}", where, what));
  }
  void RequireWritten(int number) const {
    const PlanBuffer& buffer = Nth(plan_.buffers, number);
    Require(Nth(written_, number).Cover(0, buffer.size_bytes), Named(buffer), "not all written");
  }
  // Whether the buffer holds a state when a run begins, and whether it holds one when the run has ended.
  bool IsKept(int number) const {
    return std::any_of(plan_.states.begin(), plan_.states.end(),
                       [number](const PlanState& state) { return state.before == number; });
  }
  bool IsNext(int number) const {
    return std::any_of(plan_.states.begin(), plan_.states.end(),
                       [number](const PlanState& state) { return state.after == number; });
  }
  static std::string Named(const PlanBuffer& buffer) { return fmt::format("buffer '{}'", buffer.name); }

  void CheckCall(size_t index) {
    const PlanCall& call = plan_.calls[index];
    const relay::Function& function = *functions_[index];
    const std::vector<relay::TypePtr> types = OperandTypes(function);
    const std::string where = fmt::format("call {}, {}", index, call.op);
    Require(types.size() == call.operands.size(), where, "other operands than its kernel");
    if (const Anchor* anchor = AnchorOf(function)) CheckVariants(*anchor, where);
    for (size_t i = 0; i < types.size(); ++i) {
      CheckStride(function, call.operands[i], *types[i], i, where);
      if (i < function.params.size()) CheckRead(call.operands[i], *types[i], index, where);
    }
    for (const int extent : ExtentsOf(call)) {
      const PlanBuffer& buffer = Nth(plan_.buffers, extent);
      const bool is_there = buffer.kind == BufferKind::kInput || Nth(written_, extent).Cover(0, buffer.size_bytes);
      Require(is_there, where, "leaves out work by an extent that was not written: " + Named(buffer));
    }
    for (size_t i = function.params.size(); i < types.size(); ++i)
      CheckWrite(call.operands[i], *types[i], index, where);
  }

  // A variant with weights of its own reads them in its layout.
  static void CheckVariants(const Anchor& anchor, const std::string& where) {
    const auto operands_of = [&](const ConfigChoice& choice) {
      return FindSchedule(choice.schedule)->Operands(anchor.workload, choice.config, anchor.epilogue);
    };
    const std::vector<KernelOperand> own = operands_of(*anchor.choice);
    for (const AnchorVariant& variant : anchor.variants) {
      std::vector<KernelOperand> operands = operands_of(variant.choice);
      if (variant.weight != nullptr) {
        KernelOperand& weight = operands.at(WeightOf(anchor));
        Require(LayoutName(weight.layout) == variant.weight->type->layout, where,
                "a variant has weights in another layout");
        weight = own.at(WeightOf(anchor));
      }
      Require(operands == own, where, "a variant has other operands: " + variant.choice.config.ToText());
    }
  }

  static void CheckStride(const relay::Function& function, const PlanView& view, const relay::Type& type,
                          size_t operand, const std::string& where) {
    if (IsDense(view, type)) return;
    const bool scheduled = ChoiceOf(function) != nullptr;
    const bool seen = scheduled ? StepsBetweenImages(function, operand) : LiesApart(function, operand);
    Require(seen, where, fmt::format("operand {} lies apart, which its kernel does not see", operand));
  }

  // Calls body(begin, end) for the bytes of each image, or once if images follow each other directly.
  template <typename Body>
  void ForImages(const PlanView& view, const relay::Type& type, const std::string& where, const Body& body) const {
    const PlanBuffer& buffer = Nth(plan_.buffers, view.buffer);
    const bool dense = IsDense(view, type);
    const int64_t images = dense ? 1 : type.shape[0], bytes = PhysicalBytes(type) / std::max<int64_t>(images, 1);
    for (int64_t n = 0; n < images; ++n) {
      const int64_t begin = view.offset_bytes + n * view.batch_stride_bytes;
      Require(begin >= 0 && begin + bytes <= buffer.size_bytes, where, "leaves " + Named(buffer));
      body(begin, begin + bytes);
    }
  }

  void CheckRead(const PlanView& view, const relay::Type& type, size_t call, const std::string& where) {
    const auto index = static_cast<size_t>(view.buffer);
    const PlanBuffer& buffer = plan_.buffers[index];
    const bool kept = buffer.kind == BufferKind::kState && IsKept(view.buffer);
    const bool given = kept || buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kParam;
    if (kept) first_read_.try_emplace(index, call);
    ForImages(view, type, where, [&](int64_t begin, int64_t end) {
      Require(given || written_[index].Cover(begin, end), where,
              "reads memory that was not written in " + Named(buffer));
    });
  }

  void CheckWrite(const PlanView& view, const relay::Type& type, size_t call, const std::string& where) {
    const auto index = static_cast<size_t>(view.buffer);
    const PlanBuffer& buffer = plan_.buffers[index];
    const bool ours = buffer.kind == BufferKind::kOutput || buffer.kind == BufferKind::kArena ||
                      (buffer.kind == BufferKind::kState && IsNext(view.buffer));
    Require(ours, where, "writes to " + Named(buffer));
    // The state that was there has no other reader: later ones mean what is written.
    const auto read = first_read_.find(index);
    const bool appends = read != first_read_.end() && read->second == call;
    Require(!IsKept(view.buffer) || appends, where, "writes over the state that another call reads: " + Named(buffer));
    ForImages(view, type, where, [&](int64_t begin, int64_t end) {
      Require(written_[index].Add(begin, end), where, "writes again in " + Named(buffer));
    });
    if (buffer.kind == BufferKind::kArena) CheckPlace(index, call, where);
  }

  // Takes the buffer's bytes of the arena at its first write; buffers whose last use is over release theirs.
  void CheckPlace(size_t index, size_t call, const std::string& where) {
    if (!placed_.insert(index).second) return;
    std::erase_if(live_, [&](const auto& entry) { return last_use_[entry.second] < static_cast<int64_t>(call); });
    const PlanBuffer& buffer = plan_.buffers[index];
    const int64_t begin = buffer.offset_bytes, end = begin + buffer.size_bytes;
    Require(begin >= 0 && end <= plan_.arena_bytes, where, Named(buffer) + " leaves the arena");
    if (begin == end) return;
    const auto next = live_.lower_bound(begin);
    const auto overlaps = [&](const auto& entry) {
      const PlanBuffer& other = plan_.buffers[entry.second];
      return other.offset_bytes < end && begin < other.offset_bytes + other.size_bytes;
    };
    const bool free =
        (next == live_.end() || !overlaps(*next)) && (next == live_.begin() || !overlaps(*std::prev(next)));
    Require(free, where, Named(buffer) + " lies on another that is still needed");
    live_[begin] = index;
  }

  const Plan& plan_;
  const std::vector<relay::FunctionPtr>& functions_;
  std::vector<Runs> written_;            // per buffer
  std::vector<int64_t> last_use_;        // per buffer: the last call that uses it
  std::map<size_t, size_t> first_read_;  // of a kept state's buffer: the first call that reads it
  std::set<size_t> placed_;
  std::map<int64_t, size_t> live_;  // offset in the arena -> buffer
};

}  // namespace

void CheckPlan(const Plan& plan, const std::vector<relay::FunctionPtr>& functions) { PlanCheck(plan, functions).Run(); }

}  // namespace hone
