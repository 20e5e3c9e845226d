#include "core/json/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/json/value_fields.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 7> kRoleNames = {"data",   "weight", "bias", "residual",
                                                        "output", "scale",  "shift"};

OperandRole ParseRole(const std::string& name) {
  for (size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<OperandRole>(i);
  }
  throw Error(ExitCode::kBadData,
              fmt::format("field 'role' is '{}', not one of {}", name, fmt::join(kRoleNames, ", ")));
}

constexpr std::array<std::string_view, 4> kNames = {"float32", "bfloat16", "int8", "mixed"};

double Finite(double error) { return std::isfinite(error) ? error : std::numeric_limits<double>::max(); }

double ErrorField(const Json& json, const char* name) {
  const double error = NumberField(json, name);
  if (error >= 0) return error;
  throw Error(ExitCode::kBadData, fmt::format("{} is {}; right is 0 or more", name, error));
}

}  // namespace

void FieldReader::Text(const char* name, CacheMode& mode) {
  const std::string text = TextField(json_, name);
  for (CacheMode each : {CacheMode::kColdWeights, CacheMode::kWarm}) {
    if (CacheModeName(each) == text) {
      mode = each;
      return;
    }
  }
  throw Error(ExitCode::kBadData, fmt::format("field '{}' is '{}', not cold-weights or warm", name, text));
}

Json ToJson(const Target& target) { return TreeOf(target); }

Target TargetFromJson(const Json& json) { return ValueOf<Target>(json); }

void Fields(ReadOrWritten<KernelStage> auto& stage, auto& field) {
  field("symbol", stage.symbol);
  field("extent", stage.extent, 0);
  field("grain", stage.grain, 1);
  field("worker_workspace_bytes", stage.worker_workspace_bytes, 0);
}

Json ToJson(const KernelStage& stage) { return TreeOf(stage); }

KernelStage KernelStageFromJson(const Json& json) { return ValueOf<KernelStage>(json); }

Json ToJson(const KernelOperand& operand) {
  return {{"role", kRoleNames.at(static_cast<size_t>(operand.role))},
          {"dtype", DTypeName(operand.dtype)},
          {"shape", operand.shape},
          {"layout", operand.layout.ToText()}};
}

KernelOperand KernelOperandFromJson(const Json& json) {
  return {ParseRole(TextField(json, "role")), ParseDType(TextField(json, "dtype")), ShapeField(json, "shape"),
          Layout::Parse(TextField(json, "layout"))};
}

Json ToJson(const Artifact& artifact) {
  Json stages = Json::array(), operands = Json::array();
  for (const KernelStage& stage : artifact.stages) stages.push_back(ToJson(stage));
  for (const KernelOperand& operand : artifact.operands) operands.push_back(ToJson(operand));
  return {{"object_sha256", artifact.object_sha256},
          {"stages", stages},
          {"operands", operands},
          {"shared_workspace_bytes", artifact.shared_workspace_bytes},
          {"required_features", artifact.required_features}};
}

Artifact ArtifactFromJson(const Json& json) {
  Artifact artifact;
  artifact.object_sha256 = TextField(json, "object_sha256");
  for (const Json& stage : ArrayField(json, "stages")) artifact.stages.push_back(KernelStageFromJson(stage));
  for (const Json& operand : ArrayField(json, "operands")) artifact.operands.push_back(KernelOperandFromJson(operand));
  artifact.shared_workspace_bytes = IntegerField(json, "shared_workspace_bytes", 0);
  if (json.contains("required_features")) artifact.required_features = TextsField(json, "required_features");
  return artifact;
}

Json ToJson(const Candidate& candidate) { return TreeOf(candidate); }

Candidate CandidateFromJson(const Json& json) { return ValueOf<Candidate>(json); }

Json ToJson(const TimingPolicy& policy) { return TreeOf(policy); }

TimingPolicy TimingPolicyFromJson(const Json& json) { return ValueOf<TimingPolicy>(json); }

Json ToJson(const Environment& environment) { return TreeOf(environment); }

Environment EnvironmentFromJson(const Json& json) { return ValueOf<Environment>(json); }

Json ToJson(const Measurement& measurement) { return TreeOf(measurement); }

Measurement MeasurementFromJson(const Json& json) { return ValueOf<Measurement>(json); }

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
