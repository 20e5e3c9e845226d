// Claims of the processes that share a store: each says what its process is measuring at present.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone {

// Claims are kept beside a store's rows (docs/reference/formats.md) and are freed when their process ends in any way.
// Used by one thread at a time. Destroying the object releases all.
class Claims {
 public:
  virtual ~Claims() = default;
  // Returns false while another object, of this process or another, holds the claim. A claim that this object holds
  // can be taken again.
  virtual bool Take(std::string_view what) = 0;
  // Ignores a claim that is not held.
  virtual void Release(std::string_view what) = 0;
};

// The number that represents a claim: the first 15 hex digits of its SHA-256, so below 2^60. If two texts share a
// number, one of them is merely left to the other process.
int64_t ClaimNumber(std::string_view what);

}  // namespace hone
