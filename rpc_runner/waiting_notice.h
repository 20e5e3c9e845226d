// The lines that a tuner prints while other users have the runners it wants.
#pragma once

#include <cstdint>
#include <string>

#include "core/json/serialize.h"

namespace hone {

// The text for docs/reference/protocol.md's `busy`, as "pi4-1 is held by ada for 79 s, pi4-2 is drained"; "" for an
// empty list. Throws Error(kBadData).
std::string BusyText(const Json& busy);

// Prints when waiting begins, when other runners are busy or for other reasons, and every 30 s. Not thread-safe.
class WaitingNotice {
 public:
  // The text to print at this time; "" if none.
  std::string Next(const Json& busy, int64_t now_ns);
  // The waiting is over.
  void Reset() { *this = {}; }

 private:
  Json told_;  // `busy` without its times
  int64_t told_ns_ = 0;
};

}  // namespace hone
