#include "lab/model/each_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.h"
#include "core/package/package_format.h"

namespace hone {
namespace {

constexpr std::string_view kDots = "..";

// The first "A..B" among the sizes of NAME=1..32,3,224,224; empty if there is none.
std::string_view FirstRange(std::string_view text) {
  std::string_view sizes = text.substr(text.rfind('=') + 1);
  while (!sizes.empty()) {
    const size_t comma = sizes.find(',');
    const std::string_view size = sizes.substr(0, comma);
    if (size.find(kDots) != std::string_view::npos) return size;
    sizes = comma == std::string_view::npos ? "" : sizes.substr(comma + 1);
  }
  return "";
}

std::string_view FirstRange(const ModelOptions& options) {
  for (const auto* list : {&options.shapes, &options.dims}) {
    for (const std::string& text : *list) {
      if (const std::string_view range = FirstRange(text); !range.empty()) return range;
    }
  }
  return "";
}

// The number; 0 if the text is none.
int64_t Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::vector<int64_t> SizesOf(std::string_view range) {
  constexpr int64_t kLargest = int64_t{1} << 31;
  const size_t dots = range.find(kDots);
  const int64_t first = Number(range.substr(0, dots)), last = Number(range.substr(dots + kDots.size()));
  if (first < 1 || last < first || last > kLargest) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("a size is given \"{}\"; right is one number, or the least and the most as in 1..32", range));
  }
  std::vector<int64_t> sizes;
  for (int64_t size = first; size < last; size *= 2) sizes.push_back(size);
  sizes.push_back(last);
  return sizes;
}

std::string Replaced(const std::string& text, std::string_view range, int64_t size) {
  std::string result = text.substr(0, text.rfind('=') + 1);
  std::string_view sizes = std::string_view(text).substr(result.size());
  while (true) {
    const size_t comma = sizes.find(',');
    const std::string_view one = sizes.substr(0, comma);
    result += one == range ? fmt::format("{}", size) : std::string(one);
    if (comma == std::string_view::npos) return result;
    result += ',';
    sizes = sizes.substr(comma + 1);
  }
}

void Expand(const ModelOptions& options, std::vector<ModelOptions>& each) {
  const std::string range(FirstRange(options));
  if (range.empty()) {
    each.push_back(options);
    if (each.size() <= kMostPackages) return;
    throw Error(ExitCode::kUsage,
                fmt::format("--shape and --dim stand for more than {0} shapes; a package holds {0}", kMostPackages));
  }
  for (const int64_t size : SizesOf(range)) {
    ModelOptions one = options;
    for (auto* list : {&one.shapes, &one.dims}) {
      std::transform(list->begin(), list->end(), list->begin(),
                     [&](const std::string& text) { return Replaced(text, range, size); });
    }
    Expand(one, each);
  }
}

}  // namespace

std::vector<ModelOptions> EachShape(const ModelOptions& options) {
  std::vector<ModelOptions> each;
  Expand(options, each);
  return each;
}

}  // namespace hone
