// Concatenations whose inputs are written where they belong.
#pragma once

#include <map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Where the concatenations of a module write. Keys live as long as the module.
struct ConcatPlaces {
  struct Place {
    relay::ExprPtr concat;
    int64_t offset_bytes = 0;  // within one image of the concatenation's result
  };
  // The concatenations that need no kernel, with the offset of each input.
  std::map<const relay::Expr*, std::vector<int64_t>> offsets;
  // Calls that write into a concatenation's result instead of a buffer of their own; the result may itself be placed.
  std::map<const relay::Expr*, Place> places;
};

// A concatenation along channels, or along any axis with nothing before it, is done in place: each input is a slice of
// every image, as long as all inputs but the last fill their blocks. An input that a kernel makes is written there at
// once, by the last concatenation that reads it; any other (an input of the model, a constant, a view, one that has a
// place already) is to be copied by the caller. `order` is the post order of main's body.
ConcatPlaces PlaceConcats(const std::vector<relay::ExprPtr>& order);

}  // namespace hone
