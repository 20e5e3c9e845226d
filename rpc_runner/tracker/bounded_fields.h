// Fields of a frame's header that a tracker keeps. Each function throws Error(kBadData) as those of wire/protocol.h do,
// and LimitExceeded beyond docs/reference/protocol.md's Limits.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/json/serialize.h"

namespace hone {

constexpr size_t kMostTextBytes = 128;
constexpr size_t kMostLongTextBytes = 256;
// The most runners or people in one list.
constexpr size_t kMostNamed = 16;

// A frame asks the tracker to keep more than it may.
struct LimitExceeded {
  std::string what;
};

std::string BoundedText(const Json& header, const char* name, size_t most = kMostTextBytes);
std::string BoundedTextOr(const Json& header, const char* name, const std::string& absent,
                          size_t most = kMostTextBytes);
const Json& BoundedObject(const Json& header, const char* name);
// Reads at most kMostNamed texts.
std::set<std::string> BoundedNames(const Json& header, const char* name);

}  // namespace hone
