// Recurrent layers as kernels of their own, with the loop over time inside:
//
//    for item: direction, group of rows      work items
//      for time step
//        for tile of units                   sums of all gates in registers
//          for k: sums += state[k] * weight
//          cell: gates -> new state
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is an nn.recurrent. One item per direction and group of a few
// rows, which share each load of the weight. A unit's sum has a fixed order, so that no bit depends on the group of its
// row.
EmittedKernel EmitRecurrent(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
