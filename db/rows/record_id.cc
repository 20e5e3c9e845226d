#include "db/rows/record_id.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace hone {

RecordId::RecordId(std::string_view text) : size_(static_cast<uint8_t>(text.size())) {
  if (text.size() > kMostDigits) {
    throw Error(ExitCode::kBadData,
                fmt::format("a record's id has {} characters; at most {} are right", text.size(), kMostDigits));
  }
  std::copy(text.begin(), text.end(), digits_.begin());
}

}  // namespace hone
