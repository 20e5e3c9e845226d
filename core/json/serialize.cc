#include "core/json/serialize.h"

#include <fmt/format.h>

#include <array>

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

}  // namespace hone
