// Concatenations whose inputs are written where they belong.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Where one field of a concatenation lies in its result: `offset_bytes` into each of its images, the first of which is
// image `first_image` of the result.
struct ConcatSlice {
  relay::ExprPtr field;
  int64_t first_image = 0;
  int64_t offset_bytes = 0;
};

// Where the concatenations of a module write. Keys live as long as the module.
struct ConcatPlaces {
  struct Place {
    relay::ExprPtr concat;
    ConcatSlice slice;  // of the concatenation's result, which may itself be placed
  };
  // The concatenations that need no kernel: a slice per field, so that one that stands there twice has two.
  std::map<const relay::Expr*, std::vector<ConcatSlice>> slices;
  // Calls that write into a concatenation's result instead of a buffer of their own.
  std::map<const relay::Expr*, Place> places;
};

// A concatenation needs no kernel iff each of its fields is, in every image of the result, one run of bytes: it joins
// float32 tensors of one layout along images or channels, or along any axis with nothing but ones before it; all fields
// but the last fill their blocks of channels; and no field along channels has images of one number, which kernels write
// with their lanes along the images.
//
// A value is placed in a slice of such a concatenation iff
//   1. a kernel makes it as its one result: it is no input, constant or field of a tuple, and no view;
//   2. no later concatenation reads it, and it stands at no earlier slice of this one: a value has one place.
// All others are to be copied to their slices by the caller. So every byte of a result is written once, by the owner of
// its slice or by that copy: the slices part the result, and each has one of the two. Images lie as far apart in a
// slice as in the result around it, which may be a slice itself; whoever reads or writes a value goes by its view's
// stride. `order` is the post order of main's body.
ConcatPlaces PlaceConcats(const std::vector<relay::ExprPtr>& order);

}  // namespace hone
