// Who measures what just now: claims of the processes that share a store.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone {

// Claims are kept beside a store's rows (docs/formats.md) and free themselves when their process ends, however it ends.
// Used by one thread at a time. Destroying the object releases all.
class Claims {
 public:
  virtual ~Claims() = default;
  // False while another object, of this process or another, holds it. What this one holds it may take again.
  virtual bool Take(std::string_view what) = 0;
  // What is not held is passed over.
  virtual void Release(std::string_view what) = 0;
};

// The number that stands for a claim: the first 15 hex digits of its SHA-256, so below 2^60. Two texts that share one
// only mean that one of them is left to the other process.
int64_t ClaimNumber(std::string_view what);

}  // namespace hone
