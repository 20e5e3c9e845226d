// Channels put in another order, or some of them chosen, within images of narrow blocks: what a channel shuffle is.
#pragma once

#include <optional>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/relay/expr.h"

namespace hone {

// Source and result are NC..{block}c of as many pixels.
struct ChannelSelection {
  DType dtype = DType::kFloat32;
  int64_t images = 1, pixels = 1;
  int64_t source_block = 1, result_block = 1;
  std::vector<int64_t> channels;  // of the source, one for each of the result
};

// What a function is that does nothing but `take` known channels of its one parameter; nullopt for any other.
std::optional<ChannelSelection> ChannelSelectionOf(const relay::Function& function);

// Whether several blocks of the result share a vector of the machine: otherwise the general loops move as much.
bool SharesVectors(const ChannelSelection& selection, const MachineModel& machine);

// Emits the kernel's loops; returns how many work items there are. Operand 0 is the source and 1 the result.
int64_t EmitChannelSelection(KernelBuilder& b, const StageArgs& args, const ChannelSelection& selection);

}  // namespace hone
