#include "compiler/replace_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "compiler/passes/layouts/config_chooser.h"
#include "compiler/passes/narrow_weights.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/index_inputs.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/half_types.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/package/packed_param.h"
#include "core/version.h"

namespace hone {
namespace {

// Another version may pack parameters in a way that this code does not know.
PackageFacts::Built BuiltOf(const BuiltParts& parts, const std::string& name) {
  const std::string version = parts.manifest.value("hone", "");
  if (version != HoneVersion()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} was built by hone {}, this is {}: build it again", name,
                                                  version.empty() ? "of no version" : version, HoneVersion()));
  }
  const PackageFacts facts = FactsOf(parts.manifest);
  if (facts.built) return *facts.built;
  throw Error(ExitCode::kBadConfig, fmt::format("{} does not tell how it was built: build it again", name));
}

BuildContext ContextOf(const Plan& plan, const PackageFacts::Built& built) {
  BuildContext context;
  context.target = plan.target;
  context.threads = plan.threads;
  context.exact_math = built.exact_math;
  context.opt_level = built.opt_level;
  context.precision = built.precision;
  context.weights = built.weights;
  context.weight_group = built.weight_group;
  context.byte_rows = built.byte_rows;
  context.required_passes = built.required_passes;
  context.disabled_passes = built.disabled_passes;
  return context;
}

// "nn.conv2d of conv1": the first call that runs the kernel.
std::string CallOfKernel(const Plan& plan, size_t kernel) {
  for (const PlanCall& call : plan.calls) {
    if (static_cast<size_t>(call.kernel) != kernel) continue;
    return call.nodes.empty() ? call.op : fmt::format("{} of {}", call.op, call.nodes.front());
  }
  return "a kernel";
}

void RequireSameKernels(const Plan& plan, const PackageFacts::Built& now, const PackageFacts::Built& then,
                        const std::string& name) {
  if (now.kernels == then.kernels) return;
  const auto differ = std::mismatch(now.kernels.begin(), now.kernels.end(), then.kernels.begin(), then.kernels.end());
  const auto kernel = static_cast<size_t>(differ.first - now.kernels.begin());
  const std::string what = kernel < now.kernels.size() ? CallOfKernel(plan, kernel) : "fewer calls";
  throw Error(ExitCode::kBadData,
              fmt::format("this model, with these parameters, is computed otherwise than {} computes it, from {} on: "
                          "`hone build` would be right",
                          name, what));
}

// The work items and kernels that a run of some extents needs are known once kernels are compiled.
void TakeExtents(const Plan& compiled, Plan& plan) {
  plan.version = compiled.version;
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    plan.calls[i].boxes = compiled.calls.at(i).boxes;
    plan.calls[i].variants = compiled.calls.at(i).variants;
  }
  PlanMemory(plan);
}

}  // namespace

Lowered Repack(const BuiltParts& parts, const relay::IRModule& typed, const std::string& name) {
  const PackageFacts::Built then = BuiltOf(parts, name);
  const BuildContext context = ContextOf(parts.plan, then);
  const ChosenConfigs chosen(parts.plan);
  Lowered lowered = LowerWithoutCode(RunPasses(typed, {context, nullptr, &chosen}), context);
  RequireSameKernels(lowered.plan, BuiltFacts(context, lowered.kernel_keys), then, name);
  lowered.plan.kernels = parts.plan.kernels;
  TakeExtents(parts.plan, lowered.plan);
  return lowered;
}

std::string ReplaceParams(const BuiltParts& parts, const relay::IRModule& module, const std::string& name,
                          const std::string& model_sha256) {
  const relay::IRModule typed = relay::InferType(module);
  const Lowered lowered = Repack(parts, typed, name);
  PackageFacts facts = FactsOf(parts.manifest);
  facts.index_extents = IndexExtents(typed);
  facts.model_sha256 = model_sha256;
  facts.open_params = nullptr;
  return WritePackage(lowered.plan, parts.lib, lowered.params, facts);
}

namespace {

using Names = std::vector<std::string>;
using Places = std::map<std::string, std::vector<ParamPlace>>;  // by the model's name

// Far from seeds that users give: values that a model already has would change nothing.
constexpr uint64_t kFirstSeed = 0x9E3779B97F4A7C15;

std::string_view BytesOf(const PlanBuffer& buffer, const ParamBytes& params) {
  return params.At(buffer.offset_bytes, buffer.size_bytes);
}

bool Holds(const PlanBuffer& buffer, std::string_view bytes, const Tensor& value, bool transposed) {
  const Tensor packed = PackParam(value, transposed, buffer);
  return static_cast<size_t>(packed.size_bytes()) == bytes.size() &&
         std::memcmp(packed.raw(), bytes.data(), bytes.size()) == 0;
}

// Runs the build's passes with other values of some parameters, and finds what that changes.
class Prober {
 public:
  Prober(const BuiltParts& parts, const relay::IRModule& module, const std::string& name)
      : parts_(parts),
        name_(name),
        module_(module),
        own_(Repack(parts, relay::InferType(module), name)),
        halves_(relay::HalfTypesOf(*relay::InferType(module).main)) {
    if (own_.plan.buffers != parts.plan.buffers) {
      throw Error(ExitCode::kBadData, fmt::format("{} lays the parameters of {} out otherwise: `hone package "
                                                  "replace-params` puts them in first",
                                                  name, module.name));
    }
  }

  // Those of the names whose values the package only moves and uses nowhere else, with their places.
  Places Open(const Names& names) {
    if (names.empty()) return {};
    const std::optional<Seen> seen = Probe(names);
    if (seen && seen->only_moved) return seen->places;
    Names found;
    if (seen) {
      for (const auto& [name, places] : seen->places) found.push_back(name);
    }
    if (seen && found.size() < names.size()) return Open(found);
    if (names.size() == 1) return {};
    const auto middle = names.begin() + static_cast<int64_t>(names.size() / 2);
    Places all = Open({names.begin(), middle});
    all.merge(Open({middle, names.end()}));
    return all;
  }

 private:
  struct Seen {
    Places places;
    bool only_moved = true;  // each name has a place, and nothing else changed
  };

  // nullopt if the code or the layout of the parameters would change.
  std::optional<Lowered> LoweredOf(const relay::IRModule& probe) const {
    try {
      Lowered lowered = Repack(parts_, relay::InferType(probe), name_);
      if (lowered.plan.buffers == own_.plan.buffers) return lowered;
    } catch (const Error& error) {
      if (error.code() != ExitCode::kBadData) throw;
    }
    return std::nullopt;
  }

  // Other values. Numbers of a 16-bit float of the model, which may be stored as such, stay numbers of it.
  Tensor OthersLike(const Tensor& own) {
    Tensor value(own.dtype(), own.shape());
    FillTensor(value, Fill::kUniform, ++seed_);
    if (own.dtype() != DType::kFloat32) return value;
    const auto half = std::ranges::find_if(halves_, [&](DType dtype) { return ExactAs(own, dtype).has_value(); });
    return half == halves_.end() ? value : value.As(*half).As(own.dtype());
  }

  std::optional<Seen> Probe(const Names& names) {
    relay::IRModule probe = module_;
    std::map<std::string, Tensor> values;
    for (auto& [name, value] : probe.params) {
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      value = OthersLike(value);
      values.emplace(name, value);
    }
    const std::optional<Lowered> lowered = LoweredOf(probe);
    return lowered ? std::optional(See(*lowered, values)) : std::nullopt;
  }

  Seen See(const Lowered& lowered, const std::map<std::string, Tensor>& values) const {
    Seen seen;
    for (size_t i = 0; i < own_.plan.buffers.size(); ++i) {
      const PlanBuffer& buffer = own_.plan.buffers[i];
      if (buffer.kind != BufferKind::kParam) continue;
      const std::string_view bytes = BytesOf(buffer, lowered.params);
      if (bytes == BytesOf(buffer, own_.params)) continue;
      seen.only_moved = AddPlace(static_cast<int>(i), bytes, values, seen.places) && seen.only_moved;
    }
    seen.only_moved = seen.only_moved && seen.places.size() == values.size();
    return seen;
  }

  bool AddPlace(int index, std::string_view bytes, const std::map<std::string, Tensor>& values, Places& places) const {
    const PlanBuffer& buffer = Nth(own_.plan.buffers, index);
    for (const auto& [name, value] : values) {
      if (value.elements() != ElementCount(buffer.shape)) continue;
      for (const bool transposed : {false, true}) {
        if (transposed && value.shape().size() != 2) continue;
        if (!Holds(buffer, bytes, value, transposed)) continue;
        places[name].push_back({index, transposed});
        return true;
      }
    }
    return false;
  }

  const BuiltParts& parts_;
  const std::string& name_;
  const relay::IRModule& module_;
  Lowered own_;
  std::vector<DType> halves_;
  uint64_t seed_ = kFirstSeed;
};

Json PlacesJson(const std::vector<ParamPlace>& places) {
  Json list = Json::array();
  for (const ParamPlace& place : places) list.push_back({{"buffer", place.buffer}, {"transposed", place.transposed}});
  return list;
}

}  // namespace

OpenedPackage OpenParams(const BuiltParts& parts, const relay::IRModule& module, const std::string& name) {
  Prober prober(parts, module, name);
  Names names;
  for (const auto& [param, value] : module.params) {
    if (IsFloat(value.dtype()) && value.elements() > 1) names.push_back(param);
  }
  const Places places = prober.Open(names);
  OpenedPackage opened;
  PackageFacts facts = FactsOf(parts.manifest);
  facts.open_params = Json::object();
  for (const auto& [param, value] : module.params) {
    const auto place = places.find(param);
    (place == places.end() ? opened.closed : opened.open).push_back(param);
    if (place == places.end()) continue;
    facts.open_params[param] = {
        {"dtype", DTypeName(value.dtype())}, {"shape", value.shape()}, {"places", PlacesJson(place->second)}};
  }
  std::sort(opened.open.begin(), opened.open.end());
  std::sort(opened.closed.begin(), opened.closed.end());
  opened.package = WritePackage(parts.plan, parts.lib, ParamBytes(parts.params), facts);
  return opened;
}

}  // namespace hone
