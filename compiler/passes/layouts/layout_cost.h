// The cost of a value's layout.
#pragma once

#include <string>
#include <utility>

#include "compiler/relay/expr.h"
#include "core/machine/target.h"

namespace hone {

// Estimated nanoseconds on the machine's threads, comparable with the estimates of schedules. Layouts are the graph's
// texts (empty is row-major).
class LayoutCost {
 public:
  explicit LayoutCost(MachineModel machine) : machine_(std::move(machine)) {}
  // 0 if both layouts are equal, or if the type is no tensor of known shape.
  double TransformNs(const relay::Type& type, const std::string& from, const std::string& to) const;
  // Time to write and read the lanes past the channels.
  double PaddingNs(const relay::Type& type, const std::string& layout) const;

 private:
  double MoveNs(double bytes) const;
  MachineModel machine_;
};

}  // namespace hone
