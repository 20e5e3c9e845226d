#include "compiler/plan/package_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/codegen/target/object.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "core/machine/required_features.h"
#include "core/package/package_format.h"
#include "core/version.h"

namespace hone {
namespace {

Json SectionJson(const std::string& bytes) { return {{"sha256", Sha256Hex(bytes)}, {"size_bytes", bytes.size()}}; }

Json SectionJson(const ParamBytes& params) {
  Sha256Stream hash;
  params.Write([&](std::string_view piece) { hash.Add(piece.data(), piece.size()); });
  return {{"sha256", ToHex(hash.Digest())}, {"size_bytes", params.size()}};
}

Json DispatchTable(const Plan& plan) {
  Json table = Json::array();
  for (const PlanKernel& kernel : plan.kernels) table.push_back(ToJson(kernel.dispatch));
  return table;
}

constexpr const char* kBuiltFields =
    "built must be an object with math, opt_level, precision and kernels, and lists of passes";

Json BuiltJson(const PackageFacts::Built& built) {
  Json json = {{"math", built.exact_math ? "exact" : "fast"},
               {"opt_level", built.opt_level},
               {"precision", PrecisionName(built.precision)}};
  if (!built.required_passes.empty()) json["required_passes"] = built.required_passes;
  if (!built.disabled_passes.empty()) json["disabled_passes"] = built.disabled_passes;
  if (built.weights != StoredWeights::kFloat32) json["weights"] = StoredWeightsName(built.weights);
  if (built.weight_group != kWeightGroup) json["group"] = built.weight_group;
  if (built.byte_rows) json["activations"] = "int8";
  json["kernels"] = built.kernels;
  return json;
}

PackageFacts::Built BuiltFromJson(const Json& json) {
  PackageFacts::Built built;
  built.exact_math = json.at("math").get<std::string>() == "exact";
  built.opt_level = json.at("opt_level").get<int>();
  const bool bfloat16 = json.at("precision").get<std::string>() == PrecisionName(Precision::kBFloat16);
  built.precision = bfloat16 ? Precision::kBFloat16 : Precision::kFloat32;
  const auto& names = kStoredWeightsNames;
  const auto weights = std::find(names.begin(), names.end(), json.value("weights", std::string(names[0])));
  if (weights != names.end()) built.weights = static_cast<StoredWeights>(weights - names.begin());
  built.weight_group = json.value("group", kWeightGroup);
  built.byte_rows = json.value("activations", "") == "int8";
  built.required_passes = json.value("required_passes", Json::array()).get<std::vector<std::string>>();
  built.disabled_passes = json.value("disabled_passes", Json::array()).get<std::vector<std::string>>();
  built.kernels = json.at("kernels").get<std::vector<std::string>>();
  return built;
}

PackagePrecision PrecisionFromJson(const Json& json) {
  try {
    return PackagePrecisionFromJson(json);
  } catch (const Error& error) {
    throw Error(ExitCode::kBadData, fmt::format("manifest: precision: {}", error.what()));
  }
}

std::string Manifest(const Plan& plan, const std::string& graph, const std::string& lib, const ParamBytes& params,
                     const PackageFacts& facts) {
  Json manifest;
  manifest["format"] = kPackageVersion;
  manifest["hone"] = HoneVersion();
  manifest["llvm"] = LlvmVersion();
  manifest["target"] = plan.target.ToText();
  manifest["required_features"] = RequiredFeatures(plan);
  manifest["model"] = plan.model;
  if (!facts.model_sha256.empty()) manifest["model_sha256"] = facts.model_sha256;
  if (facts.precision.name != "float32") manifest["precision"] = ToJson(facts.precision);
  manifest["sections"] = {{"graph", SectionJson(graph)}, {"lib", SectionJson(lib)}, {"params", SectionJson(params)}};
  manifest["dispatch"] = DispatchTable(plan);
  manifest["index_extents"] = Json::object();
  for (const auto& [input, bounds] : facts.index_extents) {
    manifest["index_extents"][input] = bounds.Least();
    if (bounds.extents.size() > 1) manifest["index_columns"][input] = ToJson(bounds);
  }
  if (facts.built) manifest["built"] = BuiltJson(*facts.built);
  if (!facts.open_params.is_null()) manifest["open_params"] = facts.open_params;
  return DumpJson(manifest);
}

void SetDigest(PackageHeader& header, const std::string& manifest) {
  const std::string hex = Sha256Hex(manifest);
  for (size_t i = 0; i < sizeof(header.manifest_sha256); ++i) {
    header.manifest_sha256[i] = static_cast<uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
}

uint64_t PageAligned(uint64_t offset) { return (offset + kPackageAlign - 1) / kPackageAlign * kPackageAlign; }

}  // namespace

std::string PackageFront(const Plan& plan, const std::string& lib, const ParamBytes& params,
                         const PackageFacts& facts) {
  const std::string graph = DumpJson(ToJson(plan));
  const std::string manifest = Manifest(plan, graph, lib, params, facts);
  const std::array<std::string_view, kSectionCount - 1> front{manifest, graph, lib};
  PackageHeader header{};
  std::memcpy(header.magic, kPackageMagic, sizeof(header.magic));
  header.version = kPackageVersion;
  header.section_count = kSectionCount;
  uint64_t end = sizeof(header);
  for (size_t i = 0; i < front.size(); ++i) {
    header.sections[i] = {PageAligned(end), front[i].size()};
    end = header.sections[i].offset_bytes + header.sections[i].size_bytes;
  }
  header.sections[kSectionParams] = {PageAligned(end), static_cast<uint64_t>(params.size())};
  SetDigest(header, manifest);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  for (size_t i = 0; i < front.size(); ++i) {
    bytes.resize(header.sections[i].offset_bytes);
    bytes += front[i];
  }
  bytes.resize(header.sections[kSectionParams].offset_bytes);
  return bytes;
}

std::string WritePackage(const Plan& plan, const std::string& lib, const ParamBytes& params,
                         const PackageFacts& facts) {
  std::string bytes = PackageFront(plan, lib, params, facts);
  bytes.reserve(bytes.size() + static_cast<size_t>(params.size()));
  params.Write([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

PackageFacts::Built BuiltFacts(const BuildContext& context, const std::vector<std::string>& keys) {
  PackageFacts::Built built{context.exact_math,      context.opt_level,       context.precision,
                            context.required_passes, context.disabled_passes, {}};
  built.weights = context.weights;
  built.weight_group = context.weight_group;
  built.byte_rows = context.byte_rows;
  for (const std::string& key : keys) built.kernels.push_back(Sha256Hex(key));
  return built;
}

PackageFacts FactsOf(const Json& manifest) {
  PackageFacts facts;
  try {
    facts.model_sha256 = manifest.value("model_sha256", "");
    facts.index_extents = IndexBoundsOf(manifest);
  } catch (const Json::exception&) {
    throw Error(ExitCode::kBadData,
                "model_sha256 must be text, index_extents an object of integers and index_columns of objects");
  }
  try {
    facts.open_params = manifest.value("open_params", Json());
    if (manifest.contains("built")) facts.built = BuiltFromJson(manifest.at("built"));
  } catch (const Json::exception&) {
    throw Error(ExitCode::kBadData, kBuiltFields);
  }
  if (manifest.contains("precision")) facts.precision = PrecisionFromJson(manifest.at("precision"));
  return facts;
}

}  // namespace hone
