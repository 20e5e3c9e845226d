// Attributes of calls and functions: named values, checked against the operator's schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hone::relay {

using AttrValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

// A small list in the order of setting. Get* returns the value, or `otherwise` if it is absent. A value of the wrong
// kind is a bug of hone (Error(kBug)), because call builders check it against the schema.
class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, AttrValue>> values) : values_(values) {}

  const AttrValue* Find(std::string_view name) const;
  void Set(std::string_view name, AttrValue value);
  bool GetBool(std::string_view name, bool otherwise = false) const;
  int64_t GetInt(std::string_view name, int64_t otherwise = 0) const;
  double GetFloat(std::string_view name, double otherwise = 0) const;
  std::string GetString(std::string_view name, std::string_view otherwise = "") const;
  std::vector<int64_t> GetInts(std::string_view name, std::vector<int64_t> otherwise = {}) const;
  const std::vector<std::pair<std::string, AttrValue>>& values() const { return values_; }
  bool operator==(const Attrs&) const = default;

 private:
  std::vector<std::pair<std::string, AttrValue>> values_;
};

// Relay's text of a value: [2, 2], True, 1e-05f, "NCHW". In a string, quotes and backslashes are preceded by a
// backslash, and control characters are \x and two digits.
std::string ToText(const AttrValue& value);

}  // namespace hone::relay
