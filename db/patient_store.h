// A store for those who cannot throw away what they have: a long run outlives a disk that is full for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "db/record_store.h"

namespace hone {

struct Patience {
  int64_t for_ns = 60'000'000'000;  // of one call
  int64_t pause_ns = 1'000'000'000;
  std::function<int64_t()> now_ns;  // a clock that goes on while a call waits for a lock
  std::function<void(int64_t ns)> sleep;
  // Told once when a call begins to wait, with why and for how long, and once when it went through.
  std::function<void(const std::string& what)> tell;
  std::function<bool()> hurried;  // whether to give up at once; empty: never
};

// The same store. What fails with Error(kIo), as when the disk is full, the device errs or others hold the lock, is
// tried again until it goes through; when the patience is over the error is thrown. Nothing is kept twice: what failed
// left nothing. Other errors are thrown at once.
std::unique_ptr<RecordStore> MakePatient(std::unique_ptr<RecordStore> store, const Patience& patience);

}  // namespace hone
