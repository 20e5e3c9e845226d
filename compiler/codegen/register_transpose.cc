#include "compiler/codegen/register_transpose.h"

#include <algorithm>

namespace hone {
namespace {

// Of x and y, units of `unit` lanes in turn, those of the lower or upper half of each span.
Value* Interleaved(KernelBuilder& b, Value* x, Value* y, size_t lanes, size_t span, size_t unit, bool upper) {
  std::vector<int> mask;
  for (size_t first = 0; first < lanes; first += span) {
    for (size_t at = first + (upper ? span / 2 : 0); mask.size() < first + span; at += unit) {
      for (const size_t from : {size_t{0}, lanes}) {
        for (size_t i = 0; i < unit; ++i) mask.push_back(static_cast<int>(from + at + i));
      }
    }
  }
  return b.ir().CreateShuffleVector(x, y, llvm::ArrayRef<int>(mask));
}

// Groups of `group` lanes of x, then of y: from group `first` on, every `apart`-th, half of them all.
Value* Groups(KernelBuilder& b, Value* x, Value* y, size_t lanes, size_t group, size_t first, size_t apart) {
  std::vector<int> mask;
  for (const size_t from : {size_t{0}, lanes}) {
    for (size_t i = 0; i < lanes / group / 2; ++i) {
      for (size_t l = 0; l < group; ++l) mask.push_back(static_cast<int>(from + (first + i * apart) * group + l));
    }
  }
  return b.ir().CreateShuffleVector(x, y, llvm::ArrayRef<int>(mask));
}

// Within each span of lanes, rows [first, first + span) transposed.
void TransposeSpans(KernelBuilder& b, Vals& rows, size_t first, size_t span) {
  const size_t lanes = rows.size();
  for (size_t unit = 1; unit < span; unit *= 2) {
    Vals next;
    for (size_t i = 0; i < span; ++i) {
      // Unit 1 pairs rows 0, 1 and 2, 3; unit 2 pairs what came of 0 with what came of 2, and 1 with 3.
      const size_t low = unit == 1 ? i / 2 * 2 : i / 2;
      next.push_back(Interleaved(b, rows[first + low], rows[first + low + unit], lanes, span, unit, i % 2 != 0));
    }
    std::copy(next.begin(), next.end(), rows.begin() + static_cast<int64_t>(first));
  }
}

// result[i] has group i of each row: as many rows as groups, 1, 2 or 4.
Vals TransposeGroups(KernelBuilder& b, const Vals& rows, size_t lanes, size_t group) {
  if (rows.size() == 1) return rows;
  const size_t half = rows.size() / 2;
  Vals halves;  // lower halves of each pair of rows, then upper ones
  for (const size_t first : {size_t{0}, half}) {
    for (size_t i = 0; i < half; ++i) {
      halves.push_back(Groups(b, rows[2 * i], rows[2 * i + 1], lanes, group, first, 1));
    }
  }
  if (half == 1) return halves;
  Vals result;
  for (size_t i = 0; i < rows.size(); ++i) {
    result.push_back(Groups(b, halves[i / 2 * 2], halves[i / 2 * 2 + 1], lanes, group, i % 2, 2));
  }
  return result;
}

}  // namespace

Vals TransposeInRegisters(KernelBuilder& b, Vals rows) {
  const size_t lanes = rows.size(), span = std::min<size_t>(lanes, 4);
  for (size_t first = 0; first < lanes; first += span) TransposeSpans(b, rows, first, span);
  Vals result(lanes);
  for (size_t i = 0; i < span; ++i) {
    Vals column;
    for (size_t first = 0; first < lanes; first += span) column.push_back(rows[first + i]);
    column = TransposeGroups(b, column, lanes, span);
    for (size_t g = 0; g < column.size(); ++g) result[g * span + i] = column[g];
  }
  return result;
}

}  // namespace hone
