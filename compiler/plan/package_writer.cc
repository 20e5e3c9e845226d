#include "compiler/plan/package_writer.h"

#include <array>
#include <cstring>

#include "compiler/codegen/object.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/package_format.h"
#include "core/required_features.h"
#include "core/serialize.h"
#include "core/version.h"

namespace hone {
namespace {

Json SectionJson(const std::string& bytes) { return {{"sha256", Sha256Hex(bytes)}, {"size_bytes", bytes.size()}}; }

Json DispatchTable(const Plan& plan) {
  Json table = Json::array();
  for (const PlanKernel& kernel : plan.kernels) table.push_back(ToJson(kernel.dispatch));
  return table;
}

std::string Manifest(const Plan& plan, const std::string& graph, const std::string& lib, const std::string& params,
                     const std::map<std::string, int64_t>& index_extents, const std::string& model_sha256) {
  Json manifest;
  manifest["format"] = kPackageVersion;
  manifest["hone"] = HoneVersion();
  manifest["llvm"] = LlvmVersion();
  manifest["target"] = plan.target.ToText();
  manifest["required_features"] = RequiredFeatures(plan);
  manifest["model"] = plan.model;
  if (!model_sha256.empty()) manifest["model_sha256"] = model_sha256;
  manifest["sections"] = {{"graph", SectionJson(graph)}, {"lib", SectionJson(lib)}, {"params", SectionJson(params)}};
  manifest["dispatch"] = DispatchTable(plan);
  manifest["index_extents"] = Json::object();
  for (const auto& [input, extent] : index_extents) manifest["index_extents"][input] = extent;
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

std::string WritePackage(const Plan& plan, const std::string& lib, const std::string& params,
                         const std::map<std::string, int64_t>& index_extents, const std::string& model_sha256) {
  const std::string graph = DumpJson(ToJson(plan));
  const std::string manifest = Manifest(plan, graph, lib, params, index_extents, model_sha256);
  const std::array<const std::string*, kSectionCount> sections{&manifest, &graph, &lib, &params};
  PackageHeader header{};
  std::memcpy(header.magic, kPackageMagic, sizeof(header.magic));
  header.version = kPackageVersion;
  header.section_count = kSectionCount;
  uint64_t end = sizeof(header);
  for (size_t i = 0; i < sections.size(); ++i) {
    header.sections[i] = {PageAligned(end), sections[i]->size()};
    end = header.sections[i].offset_bytes + header.sections[i].size_bytes;
  }
  SetDigest(header, manifest);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.reserve(end);
  for (size_t i = 0; i < sections.size(); ++i) {
    bytes.resize(header.sections[i].offset_bytes);
    bytes += *sections[i];
  }
  return bytes;
}

}  // namespace hone
