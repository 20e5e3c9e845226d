// From an LLVM module to an object, and from objects to a shared object. No LLVM types here but the builder's.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Code generation without a middle-end: the builder's module as an ELF object. Throws Error(kBug) on IR that does not
// verify, Error(kBadData) for a target LLVM does not have.
std::string EmitObject(KernelBuilder& builder, const Target& target);
// An object that exports the text, with a zero behind it, as read-only data of that name.
std::string EmitText(const std::string& symbol, const std::string& text, const Target& target);
// What EmitObject makes, as assembly text, as LLVM prints it for the target.
std::string EmitAssembly(KernelBuilder& builder, const Target& target);
// Links objects into one shared object without dependencies (in-process lld, serialised by a lock). Undefined symbols
// fail. Throws Error(kBug) with lld's message.
std::string LinkShared(const std::vector<std::string>& objects, const Target& target);
// LLVM's version, "19.1.7".
std::string LlvmVersion();

}  // namespace hone
