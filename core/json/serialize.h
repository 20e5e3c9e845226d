// The one JSON form of the values in packages, messages, records and logs. docs/reference/formats.md describes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/artifact.h"
#include "core/candidate.h"
#include "core/machine/target.h"
#include "core/measurement.h"
#include "core/package/plan.h"

namespace hone {

using Json = nlohmann::ordered_json;

// Parses text from outside. Throws Error(kBadData) with `what` in the message: not JSON, a repeated key, depth over
// 64, or an object with more than 2048 keys.
Json ParseJson(std::string_view text, std::string_view what);
// The compact form. Throws Error(kBug) on NaN or infinity, which JSON cannot represent.
std::string DumpJson(const Json& json);

// A From function throws Error(kBadData) naming the field that is missing or of the wrong type, and ignores unknown
// fields. Artifact's ELF bytes are not part of its JSON: they travel beside it.
Json ToJson(const Target& target);
Target TargetFromJson(const Json& json);
Json ToJson(const KernelStage& stage);
KernelStage KernelStageFromJson(const Json& json);
Json ToJson(const KernelOperand& operand);
KernelOperand KernelOperandFromJson(const Json& json);
Json ToJson(const Artifact& artifact);
Artifact ArtifactFromJson(const Json& json);
Json ToJson(const Candidate& candidate);
Candidate CandidateFromJson(const Json& json);
Json ToJson(const TimingPolicy& policy);
TimingPolicy TimingPolicyFromJson(const Json& json);
Json ToJson(const Environment& environment);
Environment EnvironmentFromJson(const Json& json);
// A worst_error that is not finite becomes the greatest double.
Json ToJson(const Measurement& measurement);
Measurement MeasurementFromJson(const Json& json);
Json ToJson(const Dispatch& dispatch);
Dispatch DispatchFromJson(const Json& json);
Json ToJson(const Plan& plan);
Plan PlanFromJson(const Json& json);

// An error that is not finite is stored as the greatest double.
Json ToJson(const PackagePrecision& precision);
// Throws Error(kBadData) for JSON that ToJson does not write.
PackagePrecision PackagePrecisionFromJson(const Json& json);

}  // namespace hone
