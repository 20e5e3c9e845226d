#include "lab/files/pack_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "compiler/plan/package_writer.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "core/package/package_format.h"
#include "core/package/plan.h"
#include "lab/files/safetensors.h"
#include "runtime/load/package_parts.h"
#include "runtime/package.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

using TensorsByName = std::map<std::string, Tensor>;

// Alignment of each parameter in the section.
constexpr int64_t kParamAlign = 64;

[[noreturn]] void Misfit(const std::string& file, const std::string& message) {
  throw Error(ExitCode::kBadData, fmt::format("{}: {}", file, message));
}

Plan ReadGraph(const PackageParts& parts) {
  try {
    return PlanFromJson(ParseJson(parts.graph, parts.graph_name));
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(parts.graph_name) != std::string::npos) throw;
    Misfit(parts.graph_name, message);
  }
}

const Tensor& TensorFor(const PlanBuffer& buffer, const std::string& name, const TensorsByName& tensors,
                        const PackageParts& parts) {
  const auto it = tensors.find(name);
  if (it == tensors.end())
    Misfit(parts.params_name, fmt::format("parameter {} of {} is missing", name, parts.graph_name));
  const Tensor& tensor = it->second;
  const Shape shape = PhysicalShape(buffer);
  if (tensor.dtype() != buffer.dtype || tensor.shape() != shape || tensor.size_bytes() != buffer.size_bytes) {
    Misfit(parts.params_name,
           fmt::format("parameter {} is {} {}; {} wants {} {}", name, DTypeName(tensor.dtype()),
                       ShapeText(tensor.shape()), parts.graph_name, DTypeName(buffer.dtype), ShapeText(shape)));
  }
  return tensor;
}

// Trusts the graph's size of the section only up to the size that the tensors can fill.
void CheckSectionSize(const Plan& plan, const TensorsByName& tensors, const PackageParts& parts) {
  int64_t most = kParamAlign;
  for (const auto& [name, tensor] : tensors) most += tensor.size_bytes() + kParamAlign;
  if (plan.params_bytes < 0 || plan.params_bytes > most) {
    Misfit(parts.graph_name, fmt::format("it has parameters of {} bytes; {} holds {} at most", plan.params_bytes,
                                         parts.params_name, most));
  }
}

void CopyParam(const PlanBuffer& buffer, const Tensor& tensor, std::string& section, const PackageParts& parts) {
  const auto size = static_cast<int64_t>(section.size());
  if (buffer.offset_bytes < 0 || buffer.offset_bytes > size - tensor.size_bytes()) {
    Misfit(parts.graph_name, fmt::format("parameter {} lies outside of the parameters", buffer.name));
  }
  if (tensor.size_bytes() == 0) return;
  std::memcpy(section.data() + buffer.offset_bytes, tensor.raw(), static_cast<size_t>(tensor.size_bytes()));
}

std::string ParamsSection(const Plan& plan, const TensorsByName& tensors, const PackageParts& parts) {
  const auto names = ParamNames(plan);
  std::set<std::string> wanted;
  for (const auto& [index, name] : names) {
    TensorFor(plan.buffers[index], name, tensors, parts);
    wanted.insert(name);
  }
  for (const auto& [name, tensor] : tensors) {
    if (wanted.count(name) == 0) {
      Misfit(parts.params_name, fmt::format("{} has no parameter {}", parts.graph_name, name));
    }
  }
  CheckSectionSize(plan, tensors, parts);
  std::string section(static_cast<size_t>(plan.params_bytes), '\0');
  for (const auto& [index, name] : names) CopyParam(plan.buffers[index], tensors.at(name), section, parts);
  return section;
}

// Drops the model file's hash, because the parameters may differ from those of that file.
PackageFacts FactsIn(const PackageParts& parts) {
  if (parts.manifest.empty()) return {};
  try {
    PackageFacts facts = FactsOf(ParseJson(parts.manifest, parts.manifest_name));
    facts.model_sha256.clear();
    return facts;
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(parts.manifest_name) != std::string::npos) throw;
    Misfit(parts.manifest_name, message);
  }
}

}  // namespace

std::string PackPackage(const PackageParts& parts) {
  const Plan plan = ReadGraph(parts);
  const std::string params = ParamsSection(plan, ParseSafetensors(parts.params, parts.params_name), parts);
  return WritePackage(plan, parts.lib, ParamBytes(params), FactsIn(parts));
}

namespace {

struct Part {
  std::string name;
  std::string_view bytes;
  std::string architecture;
  std::set<std::string> features;
  std::string model, sha256;       // its file's name and hash, or a zoo network's name; empty if not known
  std::string tensors;             // names, types and ranks of inputs and outputs, as text
  std::vector<std::string> takes;  // shapes of its inputs, with their ranges
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
  Part part;
  part.name = name + " for " + target.ToText();
  part.bytes = bytes;
  part.architecture = target.triple.substr(0, target.triple.find('-'));
  part.model = std::filesystem::path(package->plan().model).filename().string();
  part.sha256 = package->manifest().value("model_sha256", "");
  for (const Json& feature : package->manifest().at("required_features")) {
    part.features.insert(feature.get<std::string>());
  }
  part.tensors = TensorsText(package->plan());
  for (size_t i = 0; i < package->plan().inputs.size(); ++i) part.takes.push_back(InputShapeText(package->plan(), i));
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

bool AreOfOneModel(const Part& a, const Part& b) {
  return a.model == b.model || (!a.sha256.empty() && a.sha256 == b.sha256);
}

void CheckPair(const Part& a, const Part& b, bool any_model) {
  if (a.tensors != b.tensors) {
    throw Error(ExitCode::kUsage, fmt::format("{} {}; {} {}: packages of one model belong together", a.name, a.tensors,
                                              b.name, b.tensors));
  }
  if (!any_model && !AreOfOneModel(a, b)) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} is of {}, and {} of {}: packages of one model belong together; --any-model joins them "
                            "all the same",
                            a.name, a.model, b.name, b.model));
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

std::string JoinPackages(const std::vector<NamedPackage>& packages, bool any_model) {
  std::vector<Part> parts = PartsOf(packages);
  if (parts.size() > kMostPackages) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} packages were given; a file holds at most {}", parts.size(), kMostPackages));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CheckPair(parts[j], parts[i], any_model);
  }
  // The numbers of features decrease, so no later package requires a strict superset of an earlier one's features. The
  // first package that a machine can run is therefore never followed by a better one.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.features.size() > b.features.size(); });
  return Write(parts);
}

}  // namespace hone
