// A package as C code sees it once it is linked into a program.
#pragma once

#include <cstdint>
#include <string>

#include "core/plan.h"

namespace hone {

// Whether C takes it as a name: letters, digits and _, no digit first. Keywords are not looked for.
bool IsCName(const std::string& text);

// A header for C and C++: the array NAME_package of size_bytes bytes, NAME_load() which loads it with the C API, and
// per tensor its index, its bytes and, as a remark, its type and shape.
std::string CHeader(const Plan& plan, const std::string& name, size_t size_bytes);

// A header for the object that EmitAotObject makes: NAME_run(), its tensors as above, NAME_NEEDS with the
// features that the code asks of a CPU, and NAME_MEMORY_BYTES.
std::string AotHeader(const Plan& plan, const std::string& name, int64_t memory_bytes);

}  // namespace hone
