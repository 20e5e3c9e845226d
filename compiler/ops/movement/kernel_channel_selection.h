// Selections of channels within images of narrow blocks, such as channel shuffles.
#pragma once

#include <optional>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/relay/expr.h"

namespace hone {

// Source and result are NC..{block}c with the same number of pixels.
struct ChannelSelection {
  DType dtype = DType::kFloat32;
  int64_t images = 1, pixels = 1;
  int64_t source_block = 1, result_block = 1;
  std::vector<int64_t> channels;  // channels of the source, one for each of the result
};

// The selection of a function that only applies `take` with known channels to its one parameter; nullopt for any other.
std::optional<ChannelSelection> ChannelSelectionOf(const relay::Function& function);

// Whether several blocks of the result share a vector of the machine. Otherwise the general loops move as much.
bool SharesVectors(const ChannelSelection& selection, const MachineModel& machine);

// Emits the kernel's loops; returns the number of work items. Operand 0 is the source, operand 1 the result.
int64_t EmitChannelSelection(KernelBuilder& b, const StageArgs& args, const ChannelSelection& selection);

}  // namespace hone
