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

CacheMode CacheField(const Json& json) {
  const std::string name = TextField(json, "cache");
  for (CacheMode mode : {CacheMode::kColdWeights, CacheMode::kWarm}) {
    if (CacheModeName(mode) == name) return mode;
  }
  throw Error(ExitCode::kBadData, fmt::format("field 'cache' is '{}', not cold-weights or warm", name));
}

}  // namespace

Json ToJson(const Target& target) { return TreeOf(target); }

Target TargetFromJson(const Json& json) {
  return {TextField(json, "triple"), TextField(json, "cpu"), TextsField(json, "features"),
          IntField(json, "num_cores", 0)};
}

Json ToJson(const KernelStage& stage) {
  return {{"symbol", stage.symbol},
          {"extent", stage.extent},
          {"grain", stage.grain},
          {"worker_workspace_bytes", stage.worker_workspace_bytes}};
}

KernelStage KernelStageFromJson(const Json& json) {
  return {TextField(json, "symbol"), IntegerField(json, "extent", 0), IntegerField(json, "grain", 1),
          IntegerField(json, "worker_workspace_bytes", 0)};
}

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

Candidate CandidateFromJson(const Json& json) {
  return {Workload::Parse(TextField(json, "workload")), TextField(json, "schedule"),
          Config::Parse(TextField(json, "config")), TargetFromJson(Field(json, "target"))};
}

Json ToJson(const TimingPolicy& policy) { return TreeOf(policy); }

TimingPolicy TimingPolicyFromJson(const Json& json) {
  TimingPolicy policy;
  policy.cache = CacheField(json);
  policy.threads = IntField(json, "threads", 1);
  policy.min_samples = IntField(json, "min_samples", 0);
  policy.max_samples = IntField(json, "max_samples", 0);
  policy.min_sample_ns = IntegerField(json, "min_sample_ns", 0);
  policy.incumbent_ns = IntegerField(json, "incumbent_ns", 0);
  policy.near_factor = NumberField(json, "near_factor");
  policy.deadline_ns = IntegerField(json, "deadline_ns", 0);
  policy.memory_bytes = IntegerField(json, "memory_bytes", 0);
  return policy;
}

Json ToJson(const Environment& environment) { return TreeOf(environment); }

Environment EnvironmentFromJson(const Json& json) {
  Environment environment;
  environment.host = TextField(json, "host");
  environment.cpu_model = TextField(json, "cpu_model");
  environment.cpu_id = TextField(json, "cpu_id");
  environment.microcode = TextField(json, "microcode");
  environment.features = TextField(json, "features");
  environment.cores = IntField(json, "cores", 0);
  environment.caches = TextField(json, "caches");
  environment.governor = TextField(json, "governor");
  environment.kernel = TextField(json, "kernel");
  environment.hypervisor = TextField(json, "hypervisor");
  environment.isolation = TextField(json, "isolation");
  environment.emulated = BoolField(json, "emulated");
  environment.load = NumberField(json, "load");
  environment.hone_version = TextField(json, "hone_version");
  for (const LateText& text : kLateTexts) {
    if (json.contains(text.name)) environment.*text.member = TextField(json, text.name);
  }
  if (json.contains("golden_ns")) environment.golden_ns = IntegerField(json, "golden_ns", 1);
  if (json.contains("mhz")) environment.mhz = IntField(json, "mhz", 1);
  if (json.contains("celsius")) environment.celsius = NumberField(json, "celsius");
  return environment;
}

Json ToJson(const Measurement& measurement) { return TreeOf(measurement); }

Measurement MeasurementFromJson(const Json& json) {
  Measurement measurement;
  measurement.fate = ParseFate(TextField(json, "fate"));
  measurement.detail = IntField(json, "detail");
  measurement.message = TextField(json, "message");
  measurement.samples_ns = IntegersField(json, "samples_ns", 0);
  measurement.batch = IntegersField(json, "batch", 1);
  measurement.worst_error = NumberField(json, "worst_error");
  measurement.noisy = BoolField(json, "noisy");
  measurement.wall_ns = IntegerField(json, "wall_ns", 0);
  measurement.environment = EnvironmentFromJson(Field(json, "environment"));
  if (measurement.batch.size() != measurement.samples_ns.size()) {
    throw Error(ExitCode::kBadData, "fields 'samples_ns' and 'batch' differ in length");
  }
  return measurement;
}

}  // namespace hone
