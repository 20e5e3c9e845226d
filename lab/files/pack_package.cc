#include "lab/files/pack_package.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "compiler/plan/package_writer.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "lab/files/safetensors.h"

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
  return WritePackage(plan, parts.lib, params, FactsIn(parts));
}

}  // namespace hone
