// Builds a module for a machine of another architecture and runs it under that one's emulator.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// One worker, every stage in two parts, each buffer between pages that nobody may touch. Throws Error as Build does;
// kBug when the program does not end well.
std::vector<Tensor> RunEmulatedModule(const relay::IRModule& typed, const BuildOptions& options,
                                      const std::map<std::string, Tensor>& inputs);

}  // namespace hone
