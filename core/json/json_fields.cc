#include "core/json/json_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace hone {
namespace {

[[noreturn]] void RefuseField(const char* name, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("field '{}' {}", name, why));
}

int64_t Integer(const Json& value, const char* name, int64_t least, int64_t most) {
  const bool too_large = value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  if (!value.is_number_integer() || too_large) RefuseField(name, "is not a 64-bit integer");
  const auto number = value.get<int64_t>();
  if (number < least || number > most) RefuseField(name, fmt::format("is {}, which is out of range", number));
  return number;
}

}  // namespace

const Json& Field(const Json& json, const char* name) {
  if (!json.is_object()) RefuseField(name, "is looked for in something that is not an object");
  const auto at = json.find(name);
  if (at == json.end()) RefuseField(name, "is missing");
  return *at;
}

std::string TextField(const Json& json, const char* name) {
  const Json& value = Field(json, name);
  if (!value.is_string()) RefuseField(name, "is not text");
  return value.get<std::string>();
}

bool BoolField(const Json& json, const char* name) {
  const Json& value = Field(json, name);
  if (!value.is_boolean()) RefuseField(name, "is not true or false");
  return value.get<bool>();
}

double NumberField(const Json& json, const char* name) {
  const Json& value = Field(json, name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) RefuseField(name, "is not a finite number");
  return value.get<double>();
}

int64_t IntegerField(const Json& json, const char* name, int64_t least, int64_t most) {
  return Integer(Field(json, name), name, least, most);
}

int IntField(const Json& json, const char* name, int least) {
  return static_cast<int>(IntegerField(json, name, least, std::numeric_limits<int>::max()));
}

const Json& ArrayField(const Json& json, const char* name) {
  const Json& value = Field(json, name);
  if (!value.is_array()) RefuseField(name, "is not an array");
  return value;
}

std::vector<std::string> TextsField(const Json& json, const char* name) {
  std::vector<std::string> texts;
  for (const Json& value : ArrayField(json, name)) {
    if (!value.is_string()) RefuseField(name, "holds something that is not text");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::vector<int64_t> IntegersField(const Json& json, const char* name, int64_t least) {
  std::vector<int64_t> numbers;
  for (const Json& value : ArrayField(json, name)) {
    numbers.push_back(Integer(value, name, least, std::numeric_limits<int64_t>::max()));
  }
  return numbers;
}

Shape ShapeField(const Json& json, const char* name) {
  Shape shape = IntegersField(json, name, 0);
  ElementCount(shape);
  return shape;
}

}  // namespace hone
