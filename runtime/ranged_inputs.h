// Inputs of a plan with axes whose extent the caller chooses for each run: their shapes, and their form in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/package/plan.h"

namespace hone {

// The range of an axis of input `input`; null if its extent is fixed, or if there is no such axis.
const RangedAxis* RangeOf(const Plan& plan, size_t input, size_t axis);
bool IsRanged(const Plan& plan, size_t input);

// "1x(seq: 1..512)x768": the shape of an input, with the name and the range of each axis that has one.
std::string InputShapeText(const Plan& plan, size_t input);

// "1x(2 * seq: 0..1024)x768": the shape of an output, with the name and the bounds of each axis that a run counts.
std::string OutputShapeText(const Plan& plan, size_t output);

// Whether the shape has the input's rank and its fixed extents.
bool HasFixedExtents(const Plan& plan, size_t input, const Shape& shape);
// Takes a shape with the fixed extents. Throws Error(kBadData), naming the dimension, for an extent out of its range.
void RequireInRange(const Plan& plan, size_t input, const Shape& shape);
// Whether a run may take inputs of this shape.
bool TakesShape(const Plan& plan, size_t input, const Shape& shape);

// Takes the shape of each input, in range. Throws Error(kBadData), naming the dimension, if two axes disagree on it.
void RequireAgreement(const Plan& plan, const std::vector<Shape>& shapes);
// Writes the extents of these shapes to their buffers. `memory` has the address of each plan buffer.
void WriteExtents(const Plan& plan, const std::vector<Shape>& shapes, const std::vector<char*>& memory);

// Copies a dense tensor to the first positions along each axis of a larger one of the same rank. The larger one's other
// elements stay. The memory must not overlap.
void SpreadTensor(const char* from, const Shape& shape, char* to, const Shape& full, int64_t element_bytes);

}  // namespace hone
