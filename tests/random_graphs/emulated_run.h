// Builds a module for a machine of another architecture and runs it under that architecture's emulator.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// One worker runs every stage in two parts, with each buffer between inaccessible pages. Throws the Errors of Build;
// kBug when the program does not end well.
std::vector<Tensor> RunEmulatedModule(const relay::IRModule& typed, const BuildOptions& options,
                                      const std::map<std::string, Tensor>& inputs);

}  // namespace hone
