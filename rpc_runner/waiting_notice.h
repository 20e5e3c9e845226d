// What a tuner says while others have the runners that it wants.
#pragma once

#include <cstdint>
#include <string>

#include "core/serialize.h"

namespace hone {

// "pi4-1 is held by ada for 79 s, pi4-2 is drained" of docs/protocol.md's `busy`; "" of an empty list. Throws
// Error(kBadData).
std::string BusyText(const Json& busy);

// Says it when it begins, when another runner is busy or for another reason, and every 30 s. Not thread-safe.
class WaitingNotice {
 public:
  // The text to say now; "" for none.
  std::string Next(const Json& busy, int64_t now_ns);
  // The waiting is over.
  void Reset() { *this = {}; }

 private:
  Json told_;  // `busy` without its times
  int64_t told_ns_ = 0;
};

}  // namespace hone
