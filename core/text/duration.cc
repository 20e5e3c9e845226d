#include "core/text/duration.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

struct DurationUnit {
  std::string_view suffix;
  int64_t ns;
};
// "ms" comes before "s" because the first suffix that fits is taken.
constexpr DurationUnit kUnits[] = {
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};

}  // namespace

int64_t ParseDuration(std::string_view text) {
  for (const DurationUnit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto count = ParseInteger(text.substr(0, text.size() - unit.suffix.size()));
    if (!count || *count <= 0 || *count > std::numeric_limits<int64_t>::max() / unit.ns) break;
    return *count * unit.ns;
  }
  throw Error(ExitCode::kUsage, fmt::format("'{}' is not a duration; 90s, 10m or 2h would be right", text));
}

}  // namespace hone
