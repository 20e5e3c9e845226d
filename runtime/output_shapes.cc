#include "runtime/output_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

// " in a run of seq=57"; empty if all inputs have fixed shapes.
std::string RunText(const Plan& plan, const std::vector<char*>& memory) {
  std::string text;
  std::vector<int> told;
  const auto tell = [&](int buffer) {
    if (buffer < 0 || std::find(told.begin(), told.end(), buffer) != told.end()) return;
    told.push_back(buffer);
    int64_t extent = 0;
    std::memcpy(&extent, memory[buffer], sizeof(extent));
    text += fmt::format("{}{}={}", text.empty() ? " in a run of " : ", ", plan.buffers[buffer].name, extent);
  };
  for (const RangedAxis& axis : plan.ranged) tell(axis.extent);
  for (const PlanState& state : plan.states) tell(state.extent);
  return text;
}

[[noreturn]] void ThrowCount(const Plan& plan, const CountedAxis& counted, int64_t count,
                             const std::vector<char*>& memory) {
  const std::string right = counted.most == 0 ? "0" : fmt::format("0 to {}", counted.most);
  throw Error(ExitCode::kBadData, fmt::format("{} is {}{}; it may be {}", plan.buffers[counted.count].name, count,
                                              RunText(plan, memory), right));
}

// Finds the calls behind a buffer.
class CallsBehind {
 public:
  explicit CallsBehind(const Plan& plan) : plan_(plan), writer_(plan.buffers.size(), kNone) {
    for (size_t i = 0; i < plan.calls.size(); ++i) {
      for (const PlanView& view : plan.calls[i].operands) {
        int& writer = writer_[view.buffer];
        // A buffer is written before it is read. Several calls may write parts of it.
        if (writer == kNone) writer = static_cast<int>(i);
        if (view.offset_bytes != 0) writer = kSeveral;
      }
    }
  }

  // Adds the calls; false if these cannot be known, or read a value of the caller's inputs.
  bool Add(int buffer, std::vector<bool>& calls) const {
    std::vector<int> waiting{buffer};
    while (!waiting.empty()) {
      const int next = waiting.back();
      waiting.pop_back();
      const BufferKind kind = plan_.buffers[next].kind;
      if (kind == BufferKind::kParam || IsExtent(next)) continue;
      const int writer = writer_[next];
      if (kind == BufferKind::kInput || kind == BufferKind::kState || writer < 0) return false;
      if (calls[writer]) continue;
      calls[writer] = true;
      for (const PlanView& view : plan_.calls[writer].operands) {
        if (view.buffer != next) waiting.push_back(view.buffer);
      }
    }
    return true;
  }

 private:
  static constexpr int kNone = -1, kSeveral = -2;

  bool IsExtent(int buffer) const {
    const auto has = [buffer](const auto& each) { return each.extent == buffer; };
    return std::any_of(plan_.ranged.begin(), plan_.ranged.end(), has) ||
           std::any_of(plan_.states.begin(), plan_.states.end(), has);
  }

  const Plan& plan_;
  std::vector<int> writer_;
};

}  // namespace

ShapeCalls::ShapeCalls(const Plan& plan) : counts_(plan.counted.size()) {
  if (plan.ranged.empty() && plan.states.empty()) return;
  const CallsBehind behind(plan);
  std::vector<bool> chosen(plan.calls.size());
  for (size_t i = 0; i < plan.counted.size(); ++i) {
    std::vector<bool> more = chosen;
    counts_[i] = behind.Add(plan.counted[i].count, more);
    if (counts_[i]) chosen = more;
  }
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) calls_.push_back(i);
  }
}

OutputShapes::OutputShapes(const Plan& plan) : plan_(&plan) {
  for (const int output : plan.outputs) shapes_.emplace_back(plan.buffers[output].shape);
  expected_ = shapes_;
}

void OutputShapes::Reset(std::vector<Shape>& shapes) const {
  for (const CountedAxis& counted : plan_->counted) {
    if (counted.output >= 0) shapes[counted.output][counted.axis] = counted.most;
  }
}

int64_t OutputShapes::CountAt(const CountedAxis& counted, const std::vector<char*>& memory) const {
  int64_t count = 0;
  std::memcpy(&count, memory[counted.count], sizeof(count));
  if (count < 0 || count > counted.most) ThrowCount(*plan_, counted, count, memory);
  return count;
}

void OutputShapes::Settle(const std::vector<char*>& memory) {
  Reset(shapes_);
  for (const CountedAxis& counted : plan_->counted) {
    const int64_t count = CountAt(counted, memory);
    if (counted.output >= 0) Trim(counted, count, memory[plan_->outputs[counted.output]]);
  }
}

void OutputShapes::Expect(const ShapeCalls& calls, const std::vector<char*>& memory) {
  Reset(expected_);
  for (size_t i = 0; i < plan_->counted.size(); ++i) {
    const CountedAxis& counted = plan_->counted[i];
    if (!calls.Counts(i)) continue;
    const int64_t count = CountAt(counted, memory);
    if (counted.output >= 0) expected_[counted.output][counted.axis] = count;
  }
}

// Moves rows together at the front of the output, over the elements beyond their count.
void OutputShapes::Trim(const CountedAxis& counted, int64_t count, char* data) {
  if (count == counted.most) return;
  Shape& shape = shapes_[counted.output];
  int64_t rows = 1, inner = DTypeBytes(plan_->buffers[plan_->outputs[counted.output]].dtype);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != static_cast<size_t>(counted.axis)) (d < static_cast<size_t>(counted.axis) ? rows : inner) *= shape[d];
  }
  for (int64_t row = 1; row < rows; ++row) {
    std::memmove(data + row * count * inner, data + row * counted.most * inner, count * inner);
  }
  shape[counted.axis] = count;
}

}  // namespace hone
