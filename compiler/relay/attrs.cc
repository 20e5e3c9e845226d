#include "compiler/relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace hone::relay {
namespace {

template <typename T>
const T* Typed(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) return nullptr;
  const T* typed = std::get_if<T>(value);
  if (typed == nullptr)
    throw Error(ExitCode::kBug, fmt::format("attribute {} = {} has another kind", name, ToText(*value)));
  return typed;
}

// Puts the text between quotes and escapes what would end or break the line.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}f", value); }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const std::vector<int64_t>& value) const {
    return fmt::format("[{}]", fmt::join(value, ", "));
  }
};

}  // namespace

const AttrValue* Attrs::Find(std::string_view name) const {
  const auto it = std::find_if(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == name; });
  return it == values_.end() ? nullptr : &it->second;
}

void Attrs::Set(std::string_view name, AttrValue value) {
  for (auto& [key, old] : values_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  values_.emplace_back(std::string(name), std::move(value));
}

bool Attrs::GetBool(std::string_view name, bool otherwise) const {
  const bool* value = Typed<bool>(*this, name);
  return value ? *value : otherwise;
}

int64_t Attrs::GetInt(std::string_view name, int64_t otherwise) const {
  const int64_t* value = Typed<int64_t>(*this, name);
  return value ? *value : otherwise;
}

double Attrs::GetFloat(std::string_view name, double otherwise) const {
  const double* value = Typed<double>(*this, name);
  return value ? *value : otherwise;
}

std::string Attrs::GetString(std::string_view name, std::string_view otherwise) const {
  const std::string* value = Typed<std::string>(*this, name);
  return value ? *value : std::string(otherwise);
}

std::vector<int64_t> Attrs::GetInts(std::string_view name, std::vector<int64_t> otherwise) const {
  const std::vector<int64_t>* value = Typed<std::vector<int64_t>>(*this, name);
  return value ? *value : std::move(otherwise);
}

std::string ToText(const AttrValue& value) { return std::visit(ValueText{}, value); }

}  // namespace hone::relay
