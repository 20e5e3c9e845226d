#include "core/json/serialize_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "core/json/json_fields.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"float32", "bfloat16", "int8", "mixed"};

double Finite(double error) { return std::isfinite(error) ? error : std::numeric_limits<double>::max(); }

double ErrorField(const Json& json, const char* name) {
  const double error = NumberField(json, name);
  if (error >= 0) return error;
  throw Error(ExitCode::kBadData, fmt::format("{} is {}; right is 0 or more", name, error));
}

}  // namespace

Json ToJson(const PackagePrecision& precision) {
  Json json = {{"name", precision.name}};
  if (precision.float32_layers + precision.bfloat16_layers + precision.int8_layers == 0) return json;
  json["layers"] = {
      {"float32", precision.float32_layers}, {"bfloat16", precision.bfloat16_layers}, {"int8", precision.int8_layers}};
  json["error"] = Finite(precision.error);
  if (precision.max_error >= 0) json["max_error"] = Finite(precision.max_error);
  return json;
}

PackagePrecision PackagePrecisionFromJson(const Json& json) {
  PackagePrecision precision;
  precision.name = TextField(json, "name");
  if (std::find(kNames.begin(), kNames.end(), precision.name) == kNames.end()) {
    throw Error(ExitCode::kBadData,
                fmt::format("name is \"{}\"; right is float32, bfloat16, int8 or mixed", precision.name));
  }
  if (!json.contains("layers")) return precision;
  const Json& layers = Field(json, "layers");
  precision.float32_layers = IntegerField(layers, "float32", 0);
  precision.bfloat16_layers = IntegerField(layers, "bfloat16", 0);
  precision.int8_layers = IntegerField(layers, "int8", 0);
  precision.error = ErrorField(json, "error");
  if (json.contains("max_error")) precision.max_error = ErrorField(json, "max_error");
  return precision;
}

}  // namespace hone
