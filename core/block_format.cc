#include "core/block_format.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

constexpr int64_t kWordBits = 32;
constexpr std::string_view kType = "int", kZeros = ",zeros";

bool IsFormat(const BlockFormat& format) {
  const bool bits = format.bits == 2 || format.bits == 4 || format.bits == 8;
  return bits && format.block > 0 && format.block <= std::numeric_limits<int32_t>::max() &&
         format.block % format.per_word() == 0;
}

}  // namespace

int32_t BlockFormat::IntegerAt(const int32_t* row, int64_t column) const {
  const auto word = static_cast<uint32_t>(row[column / per_word()]);
  const int64_t above = kWordBits - bits * (column % per_word() + 1);
  return static_cast<int32_t>(word << above) >> (kWordBits - bits);
}

void BlockFormat::SetInteger(int32_t* row, int64_t column, int32_t value) const {
  const uint32_t part = static_cast<uint32_t>(value) & ((uint32_t{1} << bits) - 1);
  int32_t& word = row[column / per_word()];
  word = static_cast<int32_t>(static_cast<uint32_t>(word) | part << (bits * (column % per_word())));
}

std::string BlockFormat::ToText() const { return fmt::format("{}{}x{}{}", kType, bits, block, zeros ? kZeros : ""); }

BlockFormat BlockFormat::Parse(std::string_view text) {
  std::string_view rest = text;
  BlockFormat format;
  format.zeros = rest.ends_with(kZeros);
  if (format.zeros) rest.remove_suffix(kZeros.size());
  const size_t times = rest.find('x');
  if (rest.starts_with(kType) && times != std::string_view::npos) {
    const auto bits = ParseInteger(rest.substr(kType.size(), times - kType.size()));
    const auto block = ParseInteger(rest.substr(times + 1));
    format.bits = bits.value_or(0);
    format.block = block.value_or(0);
    if (IsFormat(format) && format.ToText() == text) return format;
  }
  throw Error(ExitCode::kBadData,
              fmt::format("'{}' is no format of blocks such as int4x32 or int8x64,zeros: integers of 2, 4 or 8 bits, "
                          "and blocks that fill words of 32 bits",
                          text));
}

}  // namespace hone
