// How far the integers of an input may go that picks elements of tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/serialize.h"

namespace hone {

// The bounds of an input's elements, which lie in row-major order. They repeat: indices of three columns have three
// bounds, of `run` 1, and three rows of 40 indices have three bounds of run 40.
struct IndexBounds {
  std::vector<int64_t> extents = {};  // 0: the element picks nothing; empty: none does
  int64_t run = 1;                    // elements in order that share a bound

  // 0 up to one less are in range, and as many below 0; 0: the element picks nothing.
  int64_t Of(int64_t element) const {
    return extents.empty() ? 0 : extents[static_cast<size_t>(element / run) % extents.size()];
  }
  // The least bound that is not 0; 0: there is none.
  int64_t Least() const;
  // The shortest form of one bound an element.
  static IndexBounds Of(const std::vector<int64_t>& elements);
  bool operator==(const IndexBounds&) const = default;
};

// docs/formats.md, an entry of the manifest's index_columns.
Json ToJson(const IndexBounds& bounds);
// By input, of a package's manifest: its index_columns, else its index_extents. Throws Error(kBadData) naming the field
// that is wrong.
std::map<std::string, IndexBounds> IndexBoundsOf(const Json& manifest);

}  // namespace hone
