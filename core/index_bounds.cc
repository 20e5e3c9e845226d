#include "core/index_bounds.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/json/json_fields.h"

namespace hone {
namespace {

// The greatest length such that every aligned run of that length has equal elements.
int64_t RunOf(const std::vector<int64_t>& elements) {
  auto run = static_cast<int64_t>(elements.size());
  for (size_t i = 1; i < elements.size() && run > 1; ++i) {
    if (elements[i] != elements[i - 1]) run = std::gcd(run, static_cast<int64_t>(i));
  }
  return run;
}

// The shortest prefix that yields all values when repeated, among the lengths that divide the total.
size_t PeriodOf(const std::vector<int64_t>& values) {
  for (size_t period = 1; period < values.size(); ++period) {
    if (values.size() % period == 0 &&
        std::equal(values.begin() + static_cast<std::ptrdiff_t>(period), values.end(), values.begin())) {
      return period;
    }
  }
  return values.size();
}

IndexBounds FromJson(const Json& json) {
  IndexBounds bounds{IntegersField(json, "extents", 0), IntegerField(json, "run", 1)};
  if (bounds.extents.empty()) throw Error(ExitCode::kBadData, "extents is empty; right is a bound of each column");
  return bounds;
}

}  // namespace

int64_t IndexBounds::Least() const {
  int64_t least = 0;
  for (const int64_t extent : extents) {
    if (extent > 0 && (least == 0 || extent < least)) least = extent;
  }
  return least;
}

IndexBounds IndexBounds::Of(const std::vector<int64_t>& elements) {
  IndexBounds bounds;
  if (elements.empty()) return bounds;
  bounds.run = RunOf(elements);
  for (size_t i = 0; i < elements.size(); i += static_cast<size_t>(bounds.run)) bounds.extents.push_back(elements[i]);
  bounds.extents.resize(PeriodOf(bounds.extents));
  if (bounds.extents.size() == 1) bounds.run = 1;
  return bounds;
}

Json ToJson(const IndexBounds& bounds) { return {{"extents", bounds.extents}, {"run", bounds.run}}; }

std::map<std::string, IndexBounds> IndexBoundsOf(const Json& manifest) {
  std::map<std::string, IndexBounds> of;
  const Json none = Json::object();
  const Json& extents = manifest.contains("index_extents") ? manifest["index_extents"] : none;
  const Json& columns = manifest.contains("index_columns") ? manifest["index_columns"] : none;
  for (const auto& [input, extent] : extents.items()) of[input] = {{IntegerField(extents, input.c_str(), 1)}, 1};
  for (const auto& [input, bounds] : columns.items()) of[input] = FromJson(bounds);
  return of;
}

}  // namespace hone
