#include "runtime/ranged_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

const PlanBuffer& BufferOf(const Plan& plan, size_t input) { return plan.buffers[plan.inputs[input]]; }

// The first axis with this extent.
const RangedAxis& FirstOf(const Plan& plan, int extent) {
  return *std::find_if(plan.ranged.begin(), plan.ranged.end(),
                       [extent](const RangedAxis& axis) { return axis.extent == extent; });
}

}  // namespace

const RangedAxis* RangeOf(const Plan& plan, size_t input, size_t axis) {
  for (const RangedAxis& each : plan.ranged) {
    if (static_cast<size_t>(each.input) == input && static_cast<size_t>(each.axis) == axis) return &each;
  }
  return nullptr;
}

bool IsRanged(const Plan& plan, size_t input) {
  return std::any_of(plan.ranged.begin(), plan.ranged.end(),
                     [input](const RangedAxis& axis) { return static_cast<size_t>(axis.input) == input; });
}

std::string InputShapeText(const Plan& plan, size_t input) {
  const Shape& shape = BufferOf(plan, input).shape;
  if (!IsRanged(plan, input)) return ShapeText(shape);
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) {
    const RangedAxis* const range = RangeOf(plan, input, i);
    if (i > 0) text += 'x';
    text += range == nullptr ? fmt::format("{}", shape[i])
                             : fmt::format("({}: {}..{})", plan.buffers[range->extent].name, range->least, shape[i]);
  }
  return text;
}

std::string OutputShapeText(const Plan& plan, size_t output) {
  const Shape& shape = plan.buffers[plan.outputs[output]].shape;
  std::vector<std::string> dims;
  for (const int64_t dim : shape) dims.push_back(fmt::format("{}", dim));
  bool any = false;
  for (const CountedAxis& counted : plan.counted) {
    if (counted.output < 0 || static_cast<size_t>(counted.output) != output) continue;
    const std::string& name = plan.buffers[counted.count].name;
    // Counts of data have no name that is shorter than the place.
    const bool is_place = name.starts_with("the count of ");
    dims[counted.axis] =
        is_place ? fmt::format("(0..{})", counted.most) : fmt::format("({}: 0..{})", name, counted.most);
    any = true;
  }
  if (!any) return ShapeText(shape);
  std::string text;
  for (const std::string& dim : dims) text += (text.empty() ? "" : "x") + dim;
  return text;
}

bool HasFixedExtents(const Plan& plan, size_t input, const Shape& shape) {
  const Shape& full = BufferOf(plan, input).shape;
  if (shape.size() != full.size()) return false;
  for (size_t i = 0; i < full.size(); ++i) {
    if (shape[i] != full[i] && RangeOf(plan, input, i) == nullptr) return false;
  }
  return true;
}

void RequireInRange(const Plan& plan, size_t input, const Shape& shape) {
  const PlanBuffer& buffer = BufferOf(plan, input);
  for (size_t i = 0; i < shape.size(); ++i) {
    const RangedAxis* const range = RangeOf(plan, input, i);
    if (range == nullptr || (shape[i] >= range->least && shape[i] <= buffer.shape[i])) continue;
    throw Error(ExitCode::kBadData,
                fmt::format("input '{}': the dimension {} is {}; it may be {} to {}", buffer.name,
                            plan.buffers[range->extent].name, shape[i], range->least, buffer.shape[i]));
  }
}

bool TakesShape(const Plan& plan, size_t input, const Shape& shape) {
  if (!HasFixedExtents(plan, input, shape)) return false;
  const Shape& full = BufferOf(plan, input).shape;
  for (size_t i = 0; i < full.size(); ++i) {
    const RangedAxis* const range = RangeOf(plan, input, i);
    if (range != nullptr && (shape[i] < range->least || shape[i] > full[i])) return false;
  }
  return true;
}

void RequireAgreement(const Plan& plan, const std::vector<Shape>& shapes) {
  for (const RangedAxis& axis : plan.ranged) {
    const RangedAxis& first = FirstOf(plan, axis.extent);
    const int64_t known = shapes[first.input][first.axis], extent = shapes[axis.input][axis.axis];
    if (extent == known) continue;
    throw Error(ExitCode::kBadData,
                fmt::format("the dimension {} is {} in axis {} of '{}' and {} in axis {} of '{}'; "
                            "one number would be right",
                            plan.buffers[axis.extent].name, known, first.axis, BufferOf(plan, first.input).name, extent,
                            axis.axis, BufferOf(plan, axis.input).name));
  }
}

void WriteExtents(const Plan& plan, const std::vector<Shape>& shapes, const std::vector<char*>& memory) {
  for (const RangedAxis& axis : plan.ranged) {
    const int64_t extent = shapes[axis.input][axis.axis];
    std::memcpy(memory[axis.extent], &extent, sizeof(extent));
  }
}

void SpreadTensor(const char* from, const Shape& shape, char* to, const Shape& full, int64_t element_bytes) {
  // From axis `rows_end` on, elements that follow each other in one tensor do so in the other.
  size_t rows_end = shape.size();
  int64_t row_bytes = element_bytes, room_bytes = element_bytes;
  while (rows_end > 0 && row_bytes == room_bytes) {
    --rows_end;
    row_bytes *= shape[rows_end];
    room_bytes *= full[rows_end];
  }
  int64_t rows = row_bytes > 0 ? 1 : 0;
  for (size_t i = 0; i < rows_end; ++i) rows *= shape[i];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t place = 0, stride = 1, rest = row;
    for (size_t i = rows_end; i-- > 0;) {
      place += rest % shape[i] * stride;
      rest /= shape[i];
      stride *= full[i];
    }
    std::memcpy(to + place * room_bytes, from + row * row_bytes, static_cast<size_t>(row_bytes));
  }
}

}  // namespace hone
