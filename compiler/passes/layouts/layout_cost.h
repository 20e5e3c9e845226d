// What it costs that a value lies as it does.
#pragma once

#include <string>
#include <utility>

#include "compiler/relay/expr.h"
#include "core/target.h"

namespace hone {

// Estimated nanoseconds on the machine's threads, to be compared with what schedules estimate. Texts are the graph's
// (empty is row-major).
class LayoutCost {
 public:
  explicit LayoutCost(MachineModel machine) : machine_(std::move(machine)) {}
  // 0 when both are the same, or for what is no tensor of known shape.
  double TransformNs(const relay::Type& type, const std::string& from, const std::string& to) const;
  // Writing and reading the lanes past the channels.
  double PaddingNs(const relay::Type& type, const std::string& layout) const;

 private:
  double MoveNs(double bytes) const;
  MachineModel machine_;
};

}  // namespace hone
