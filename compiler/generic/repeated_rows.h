// Planes whose rows come several times one after the other, as where an image becomes larger: a row is made once and
// then copied.
#pragma once

#include <optional>
#include <vector>

#include "compiler/generic/evaluator.h"

namespace hone {

struct RepeatedRows {
  relay::ExprPtr result;
  int64_t planes = 1, rows = 1, columns = 1;
  std::vector<uint8_t> repeats;  // of each row, whether it is the one before it
};

// Describes a function that takes known rows of its row-major parameter, some of them again, and known columns, and
// does nothing else; nullopt for any other function.
std::optional<RepeatedRows> RepeatedRowsOf(const relay::Function& function);

int64_t ItemsOf(const RepeatedRows& rows);
// Emits items [begin, end). Operand 1 is the result.
void EmitRepeatedRows(Evaluator& e, const RepeatedRows& rows, Value* begin, Value* end);

}  // namespace hone
