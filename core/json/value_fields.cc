#include "core/json/value_fields.h"

#include <algorithm>
#include <charconv>

#include "core/json/serialize.h"

namespace hone {
namespace {

bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

void AddText(std::string_view value, std::string& text) {
  if (!std::all_of(value.begin(), value.end(), IsPlain)) {
    text += DumpJson(Json(value));
    return;
  }
  text += '"';
  text += value;
  text += '"';
}

void AddInteger(int64_t value, std::string& text) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

template <typename Values, typename Add>
void AddArray(const Values& values, std::string& text, const Add& add) {
  text += '[';
  for (const auto& value : values) {
    if (&value != &values.front()) text += ',';
    add(value, text);
  }
  text += ']';
}

}  // namespace

void JsonObjectText::Name(std::string_view name) {
  if (!empty_) text_ += ',';
  empty_ = false;
  text_ += '"';
  text_ += name;
  text_ += "\":";
}

void JsonObjectText::Put(std::string_view name, std::string_view value) {
  Name(name);
  AddText(value, text_);
}

void JsonObjectText::Put(std::string_view name, int64_t value) {
  Name(name);
  AddInteger(value, text_);
}

void JsonObjectText::Put(std::string_view name, bool value) {
  Name(name);
  text_ += value ? "true" : "false";
}

void JsonObjectText::Put(std::string_view name, double value) {
  Name(name);
  text_ += DumpJson(Json(value));
}

void JsonObjectText::Put(std::string_view name, const std::vector<std::string>& values) {
  Name(name);
  AddArray(values, text_, [](const std::string& value, std::string& text) { AddText(value, text); });
}

void JsonObjectText::Put(std::string_view name, const std::vector<int64_t>& values) {
  Name(name);
  AddArray(values, text_, [](int64_t value, std::string& text) { AddInteger(value, text); });
}

}  // namespace hone
