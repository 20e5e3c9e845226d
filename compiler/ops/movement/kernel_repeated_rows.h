// Planes with repeated successive rows, as when an image is enlarged: a row is computed once and then copied.
//
//    rows of the source    a b c
//    rows of the result    a a b b c c      compute a, copy it, compute b, copy it, ...
#pragma once

#include <optional>
#include <vector>

#include "compiler/generic/evaluator.h"

namespace hone {

struct RepeatedRows {
  relay::ExprPtr result;
  int64_t planes = 1, rows = 1, columns = 1;
  std::vector<uint8_t> repeats;  // for each row, whether it repeats the previous one
};

// Describes a function that only takes known rows of its row-major parameter, some of them repeatedly, and known
// columns; nullopt for any other function.
std::optional<RepeatedRows> RepeatedRowsOf(const relay::Function& function);

int64_t ItemsOf(const RepeatedRows& rows);
// Emits items [begin, end). Operand 1 is the result.
void EmitRepeatedRows(Evaluator& e, const RepeatedRows& rows, Value* begin, Value* end);

}  // namespace hone
