#include "core/text/spelling.h"

#include <algorithm>
#include <cctype>

namespace hone {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// The number of letters with which both begin.
size_t CommonBeginning(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(row);
  }
  return previous[b.size()];
}

std::string Nearest(std::string_view name, const std::vector<std::string>& candidates) {
  // A name from outside may be of any length; one that long is no typing error.
  if (name.empty() || name.size() > 256) return "";
  const std::string wanted = Lower(name);
  const size_t most = std::max<size_t>(1, name.size() / 3);
  size_t least = most + 1, begins = 0;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::string lower = Lower(candidate);
    const size_t distance = EditDistance(wanted, lower), shared = CommonBeginning(wanted, lower);
    if (distance > most || distance > least || (distance == least && shared <= begins)) continue;
    least = distance;
    begins = shared;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = Nearest(name, candidates);
  return nearest.empty() || nearest == name ? "" : "; did you mean " + nearest + "?";
}

}  // namespace hone
