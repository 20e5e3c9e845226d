// Bounds of the integers in an input that indexes into tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

// The bounds of an input's elements, which lie in row-major order. The bounds repeat: indices of three columns have
// three bounds with `run` 1, and three rows of 40 indices have three bounds with run 40.
struct IndexBounds {
  std::vector<int64_t> extents = {};  // 0: the element indexes nothing; empty: no element does
  int64_t run = 1;                    // consecutive elements that share a bound

  // With bound b an element may be from -b to b - 1. 0: the element indexes nothing.
  int64_t Of(int64_t element) const {
    return extents.empty() ? 0 : extents[static_cast<size_t>(element / run) % extents.size()];
  }
  // The least bound that is not 0; 0 if there is none.
  int64_t Least() const;
  // The shortest representation of one bound per element.
  static IndexBounds Of(const std::vector<int64_t>& elements);
  bool operator==(const IndexBounds&) const = default;
};

// The form is that of an entry in the manifest's index_columns (docs/reference/formats.md).
Json ToJson(const IndexBounds& bounds);
// The bounds of each input from a package's manifest: index_columns, or index_extents if that is absent. Throws
// Error(kBadData) naming the field that is wrong.
std::map<std::string, IndexBounds> IndexBoundsOf(const Json& manifest);

}  // namespace hone
