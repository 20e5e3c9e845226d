// C headers for packages that are linked into a program.
#pragma once

#include <cstdint>
#include <string>

#include "core/package/plan.h"

namespace hone {

// Whether the text is a C identifier: letters, digits and _, no digit first. Keywords are not checked.
bool IsCName(const std::string& text);

// A header for C and C++. It has the array NAME_package of size_bytes bytes, and NAME_load(), which loads it with the C
// API. Each tensor has its index, its bytes and, in a comment, its type and shape.
std::string CHeader(const Plan& plan, const std::string& name, size_t size_bytes);

// A header for the object that EmitAotObject makes: NAME_run(), the tensors as in CHeader, and NAME_MEMORY_BYTES.
// NAME_NEEDS has the CPU features that the code requires.
std::string AotHeader(const Plan& plan, const std::string& name, int64_t memory_bytes);

}  // namespace hone
