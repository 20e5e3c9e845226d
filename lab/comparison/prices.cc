#include "lab/comparison/prices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

struct Price {
  std::string who;
  double per_hour = 0;
};

Price ParsePrice(const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string_view hour = "/h";
  std::optional<float> money;
  if (equals != std::string::npos && text.ends_with(hour)) {
    money = ParseFloat(std::string_view(text).substr(equals + 1, text.size() - equals - 1 - hour.size()));
  }
  if (!money || *money <= 0 || equals == 0) {
    throw Error(ExitCode::kUsage, fmt::format("--price is given \"{}\"; right is KEY=0.17/h", text));
  }
  return {text.substr(0, equals), static_cast<double>(*money)};
}

}  // namespace

bool IsNamed(const ComparedDevice& device, const std::string& name) {
  return device.keys.contains(name) || device.labels.contains(name) || device.hosts.contains(name) ||
         device.short_id == name;
}

void SetPrices(const std::vector<std::string>& texts, Comparison& comparison) {
  for (const std::string& text : texts) {
    const Price price = ParsePrice(text);
    bool found = false;
    std::set<std::string> names;
    for (ComparedDevice& device : comparison.devices) {
      names.insert(device.name);
      if (!IsNamed(device, price.who)) continue;
      device.price_per_hour = price.per_hour;
      found = true;
    }
    if (!found) {
      throw Error(ExitCode::kUsage, fmt::format("--price {}: no device has the key, label, host or id {}; there are {}",
                                                text, price.who, fmt::join(names, ", ")));
    }
  }
}

}  // namespace hone
