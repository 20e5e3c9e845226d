// Fields of a frame's header that a tracker keeps: each function throws Error(kBadData) as those of wire/protocol.h,
// and TooBig on more than docs/protocol.md's Limits allow.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/serialize.h"

namespace hone {

constexpr size_t kMostTextBytes = 128;
constexpr size_t kMostLongTextBytes = 256;
// Of runners or people in one list.
constexpr size_t kMostNamed = 16;

// A frame asks for more than is kept of anybody.
struct TooBig {
  std::string what;
};

std::string BoundedText(const Json& header, const char* name, size_t most = kMostTextBytes);
std::string BoundedTextOr(const Json& header, const char* name, const std::string& absent,
                          size_t most = kMostTextBytes);
const Json& BoundedObject(const Json& header, const char* name);
// At most kMostNamed texts.
std::set<std::string> BoundedNames(const Json& header, const char* name);

}  // namespace hone
