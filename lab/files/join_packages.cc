#include "lab/files/join_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/package/package_format.h"
#include "core/package/plan.h"
#include "runtime/load/fat_package.h"
#include "runtime/package.h"

namespace hone {
namespace {

struct Part {
  std::string name;
  std::string_view bytes;
  std::string architecture;
  std::set<std::string> features;
  std::string tensors;       // names, types and ranks of inputs and outputs, as text
  std::vector<Shape> takes;  // shapes of its inputs
};

std::string TensorsText(const Plan& plan) {
  std::string text;
  for (const auto* list : {&plan.inputs, &plan.outputs}) {
    text += list == &plan.inputs ? "takes" : ", gives";
    for (const int index : *list) {
      const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(index));
      text += fmt::format(" {} {} of {} dims", buffer.name, DTypeName(buffer.dtype), buffer.shape.size());
    }
  }
  return text;
}

Part PartOf(const std::string& name, std::string_view bytes) {
  const auto package = Package::InspectBytes(bytes, name);
  package->VerifyParams();
  const Target& target = package->plan().target;
  Part part{name + " for " + target.ToText(), bytes, target.triple.substr(0, target.triple.find('-')), {}, "", {}};
  for (const Json& feature : package->manifest().at("required_features")) {
    part.features.insert(feature.get<std::string>());
  }
  part.tensors = TensorsText(package->plan());
  for (const int index : package->plan().inputs) {
    part.takes.push_back(package->plan().buffers.at(static_cast<size_t>(index)).shape);
  }
  return part;
}

std::vector<Part> PartsOf(const std::vector<NamedPackage>& packages) {
  std::vector<Part> parts;
  for (const NamedPackage& package : packages) {
    const std::vector<std::string_view> several = IsFatPackage(package.bytes)
                                                      ? SplitFatPackage(package.bytes, package.name)
                                                      : std::vector<std::string_view>{package.bytes};
    for (const std::string_view bytes : several) parts.push_back(PartOf(package.name, bytes));
  }
  return parts;
}

void CheckPair(const Part& a, const Part& b) {
  if (a.tensors != b.tensors) {
    throw Error(ExitCode::kUsage, fmt::format("{} {}; {} {}: packages of one model belong together", a.name, a.tensors,
                                              b.name, b.tensors));
  }
  if (a.architecture == b.architecture && a.features == b.features && a.takes == b.takes) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} and {} run on the same machines and take the same shapes: one of them would never be "
                            "taken",
                            a.name, b.name));
  }
}

uint64_t PageAligned(uint64_t offset) { return (offset + kPackageAlign - 1) / kPackageAlign * kPackageAlign; }

std::string Write(const std::vector<Part>& parts) {
  FatPackageHeader header{};
  std::memcpy(header.magic, kFatPackageMagic, sizeof(header.magic));
  header.version = kFatPackageVersion;
  header.count = static_cast<uint32_t>(parts.size());
  std::vector<FatPackageEntry> entries;
  uint64_t end = sizeof(header) + parts.size() * sizeof(FatPackageEntry);
  for (const Part& part : parts) {
    entries.push_back({PageAligned(end), part.bytes.size()});
    end = entries.back().offset_bytes + entries.back().size_bytes;
  }
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.reserve(end);
  file.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(FatPackageEntry));
  for (size_t i = 0; i < parts.size(); ++i) {
    file.resize(entries[i].offset_bytes);
    file += parts[i].bytes;
  }
  return file;
}

}  // namespace

std::string JoinPackages(const std::vector<NamedPackage>& packages) {
  std::vector<Part> parts = PartsOf(packages);
  if (parts.size() > kMostPackages) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} packages were given; a file holds at most {}", parts.size(), kMostPackages));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CheckPair(parts[j], parts[i]);
  }
  // The numbers of features decrease, so no later package requires a strict superset of an earlier one's features. The
  // first package that a machine can run is therefore never followed by a better one.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.features.size() > b.features.size(); });
  return Write(parts);
}

}  // namespace hone
