// The places of tensors in a plan's buffers, and the functions that only view a tensor in another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

// Bytes of the physical tensor, and bytes of one step along its first dimension (0 for a scalar).
int64_t PhysicalBytes(const relay::Type& type);
int64_t BatchStride(const relay::Type& type);

// Whether the view of a tensor of that type has its images directly after each other.
bool IsDense(const PlanView& view, const relay::Type& type);

// The view of the result on the argument's memory, if the function moves no data. Such functions are a reshape of
// row-major data, a slice of it along the batch, and a layout_transform between layouts of the same bytes. Returns
// nullopt if the function moves data, or must here because the images lie apart.
std::optional<PlanView> AsView(const relay::Function& function, const PlanView& argument);
// Whether the function could be a view at all, for some argument.
bool MayBeView(const relay::Function& function);

// The place of one field in a concatenation's result: `offset_bytes` into each of its images. Its first image is image
// `first_image` of the result.
struct ConcatSlice {
  relay::ExprPtr field;
  int64_t first_image = 0;
  int64_t offset_bytes = 0;
};

// The places that the concatenations of a module write. Keys live as long as the module.
struct ConcatPlaces {
  struct Place {
    relay::ExprPtr concat;
    ConcatSlice slice;  // of the concatenation's result, which may itself be placed
  };
  // The concatenations that need no kernel, with a slice per field; a field that occurs twice has two.
  std::map<const relay::Expr*, std::vector<ConcatSlice>> slices;
  // Calls that write into a concatenation's result instead of their own buffer.
  std::map<const relay::Expr*, Place> places;
};

// A concatenation needs no kernel iff each of its fields is one run of bytes in every image of the result:
// - it joins float32 tensors of one layout along images or channels, or along any axis that only ones precede;
// - all fields but the last fill their blocks of channels;
// - no field along channels has images of one number, which kernels write with their lanes along the images.
//
// A value is placed in a slice of such a concatenation iff
//   1. a kernel makes it as its only result: it is no input, constant or field of a tuple, and no view;
//   2. no later concatenation reads it, and it is not an earlier field of this one: a value has one place.
//
// The caller must copy all other values to their slices. So every byte of a result is written once, either by the
// kernel of its slice's value or by that copy. The slices partition the result, and each has one of the two. The images
// of a slice have the same distance as those of the result around it, which may be a slice itself. Readers and writers
// of a value use its view's stride. `order` is the post order of main's body.
//
//   result, 2 images     | image 0: a a a | b b |  image 1: a a a | b b |
//   slice of a             offset 0              stride: one image of the result
//   slice of b                        offset 3   (so b's images lie apart)
ConcatPlaces PlaceConcats(const std::vector<relay::ExprPtr>& order);

// The operands of a call whose images may lie apart.

// The types of a primitive function's operands in kernel order: its parameters, then its results.
std::vector<relay::TypePtr> OperandTypes(const relay::Function& function);

// Whether the function's kernel can step from image to image of the operand by its view's stride. A generic kernel can,
// for every operand. A schedule's kernel can for operands with images, not for weights, bias, scale and shift. A kernel
// of a whole call cannot.
bool StepsBetweenImages(const relay::Function& function, size_t operand);

}  // namespace hone
