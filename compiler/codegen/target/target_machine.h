// LLVM's target machine for a Target.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "core/machine/target.h"

namespace hone {

// Registers LLVM's back ends once. Thread-safe.
void InitializeTargets();
// The target's explicit features, joined by commas, after those that all code of the architecture has and lacks.
std::string FeatureString(const Target& target);
// Throws Error(kBadData) for a triple that LLVM does not have.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const Target& target);

}  // namespace hone
