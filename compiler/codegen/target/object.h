// Makes objects from an LLVM module, and a shared object from objects. The builder's are the only LLVM types here.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Generates code without a middle-end: the builder's module as an ELF object. Throws Error(kBug) for IR that does not
// verify, Error(kBadData) for a target that LLVM does not have.
std::string EmitObject(KernelBuilder& builder, const Target& target);
// An object that exports the text, with a terminating zero, as read-only data named `symbol`.
std::string EmitText(const std::string& symbol, const std::string& text, const Target& target);
// The code of EmitObject as assembly text, in LLVM's syntax for the target.
std::string EmitAssembly(KernelBuilder& builder, const Target& target);
// Links objects into one shared object without dependencies (lld in this process, serialised by a lock). Undefined
// symbols are errors. Throws Error(kBug) with lld's message.
std::string LinkShared(const std::vector<std::string>& objects, const Target& target);
// LLVM's version, such as "19.1.7".
std::string LlvmVersion();

}  // namespace hone
