#include "db/claims.h"

#include <charconv>
#include <string>

#include "core/hash/hash.h"

namespace hone {

int64_t ClaimNumber(std::string_view what) {
  const std::string digits = Sha256Hex(what).substr(0, 15);
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

}  // namespace hone
