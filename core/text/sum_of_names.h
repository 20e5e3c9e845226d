// Names that are sums of others, as exporters call dimensions that follow from others: "past + seq", "2*height - 1".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

struct SumOfNames {
  int64_t number = 0;
  std::vector<std::pair<std::string, int64_t>> terms;  // a name and its factor, in the text's order; at least one
};

// Terms are NUMBER, NAME, NUMBER*NAME or NAME*NUMBER, with + or - between them. Returns nullopt for any other text, for
// one without a name, and for a single name.
std::optional<SumOfNames> ParseSumOfNames(std::string_view text);

}  // namespace hone
