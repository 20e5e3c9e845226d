#include "compiler/relay/text/token_reader.h"

#include "core/text/printable.h"

namespace hone::relay {

std::string TokenReader::Shown() const {
  constexpr size_t kMost = 60;
  return next_.kind == TokenKind::kEnd ? next_.text : Shortened(Printable(next_.text), kMost);
}

}  // namespace hone::relay
