#include "runtime/package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/machine/required_features.h"
#include "core/package/package_format.h"
#include "runtime/host_cpu.h"
#include "runtime/load/match_kernels.h"
#include "runtime/load/package_parts.h"
#include "runtime/load/validate_plan.h"
#include "runtime/package_impl.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

std::vector<std::string> RequiredFeaturesIn(const Json& manifest, const std::string& name) {
  std::vector<std::string> features;
  const auto list = manifest.find("required_features");
  if (list == manifest.end() || !list->is_array()) {
    throw Error(ExitCode::kBadData, fmt::format("{}: manifest: no list required_features", name));
  }
  for (const Json& feature : *list) {
    if (!feature.is_string()) {
      throw Error(ExitCode::kBadData, fmt::format("{}: manifest: required_features holds something else", name));
    }
    features.push_back(feature.get<std::string>());
  }
  return features;
}

// Older writers leave the hash out, and so does a build from no file.
void CheckModelHash(const Json& manifest, const std::string& name) {
  const auto hash = manifest.find("model_sha256");
  if (hash == manifest.end()) return;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const std::string text = hash->is_string() ? hash->get<std::string>() : "";
  if (text.size() != 64 || !std::all_of(text.begin(), text.end(), is_digit)) {
    throw Error(ExitCode::kBadData, fmt::format("{}: manifest: model_sha256 is not 64 hex digits", name));
  }
}

void CheckFormat(const Json& manifest, const std::string& name) {
  const auto format = manifest.find("format");
  if (format == manifest.end() || !format->is_number_integer() || *format != kPackageVersion) {
    throw Error(ExitCode::kBadData,
                fmt::format("{}: manifest: format {} is what this hone reads", name, kPackageVersion));
  }
}

// Why this machine cannot run the package, as a continuation of "was built for T, "; empty if it can.
std::string WhyNotHere(const Target& target, const std::vector<std::string>& required_features) {
  const std::string architecture = target.triple.substr(0, target.triple.find('-'));
  if (!architecture.empty() && architecture != HostArchitecture()) {
    return fmt::format("this machine is {}", HostArchitecture());
  }
  const std::string missing = FirstMissingFeature(required_features);
  if (missing.empty()) return "";
  return fmt::format("which needs {}; this {}", missing,
                     missing.starts_with("amx-") ? "CPU or system lacks it" : "CPU lacks it");
}

void CheckHost(const Package::Impl& package, const std::vector<std::string>& required_features) {
  const std::string why_not = WhyNotHere(package.plan.target, required_features);
  if (why_not.empty()) return;
  throw Error(ExitCode::kBadConfig, fmt::format("{} was built for {}, {}; build with --target host", package.name,
                                                package.plan.target.ToText(), why_not));
}

Target TargetIn(const Json& manifest, const std::string& name) {
  const auto target = manifest.find("target");
  if (target == manifest.end() || !target->is_string()) {
    throw Error(ExitCode::kBadData, fmt::format("{}: manifest: no text target", name));
  }
  try {
    return Target::Parse(target->get<std::string>());
  } catch (const Error& error) {
    throw Error(ExitCode::kBadData, fmt::format("{}: manifest: {}", name, error.what()));
  }
}

Plan ReadPlan(std::string_view graph, const std::string& name) {
  const Json json = ParseJson(graph, name + ": graph");
  try {
    return PlanFromJson(json);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: graph: {}", name, error.what()));
  }
}

Plan PlanIn(std::string_view package, const std::string& name) {
  return ReadPlan(SplitPackage(package, name).graph, name);
}

std::optional<size_t> FindInput(const Plan& plan, std::string_view input) {
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.buffers[plan.inputs[i]].name == input) return i;
  }
  return std::nullopt;
}

// A name that is none of the package's inputs is ignored.
bool HasShapes(const Plan& plan, const InputShapes& shapes) {
  return std::all_of(shapes.begin(), shapes.end(), [&](const auto& asked) {
    const std::optional<size_t> input = FindInput(plan, asked.first);
    return !input.has_value() || TakesShape(plan, *input, asked.second);
  });
}

// "x 1x3x224x224, mask 1x128": the package's shapes of the named inputs.
std::string ShapesText(const Plan& plan, const InputShapes& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes) {
    if (const std::optional<size_t> input = FindInput(plan, name)) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, InputShapeText(plan, *input));
    }
  }
  return text;
}

[[noreturn]] void RefuseShapes(const std::string& name, const std::set<std::string>& built, const InputShapes& shapes) {
  std::vector<std::string> asked;
  for (const auto& [input, shape] : shapes) asked.push_back(fmt::format("{} {}", input, ShapeText(shape)));
  throw Error(ExitCode::kUsage,
              fmt::format("{} was built for {}; not for {}", name, fmt::join(built, "; "), fmt::join(asked, ", ")));
}

// Chooses a package from the file. A file with one package always gives that one.
std::string_view Choose(std::string_view file, const std::string& name, const CanRun& can_run,
                        const InputShapes& shapes) {
  if (!IsFatPackage(file)) return file;
  const std::vector<std::string_view> packages = SplitFatPackage(file, name);
  std::set<std::string> built;  // shapes of packages that were passed over
  for (const std::string_view package : packages) {
    const Json manifest = ReadManifest(package, name);
    if (can_run && !can_run(TargetIn(manifest, name), RequiredFeaturesIn(manifest, name))) continue;
    if (shapes.empty()) return package;
    const Plan plan = PlanIn(package, name);
    if (HasShapes(plan, shapes)) return package;
    built.insert(ShapesText(plan, shapes));
  }
  if (!built.empty()) RefuseShapes(name, built, shapes);
  return packages.front();
}

// Choose for this machine. If it runs none of several packages, the error gives a reason for each.
std::string_view ChooseForHost(std::string_view file, const std::string& name, const InputShapes& shapes) {
  std::string why_not;
  bool found = false;
  const auto runs_here = [&](const Target& target, const std::vector<std::string>& required_features) {
    const std::string why = WhyNotHere(target, required_features);
    found = found || why.empty();
    why_not += fmt::format("{}for {}, {}", why_not.empty() ? "" : "; ", target.ToText(), why);
    return why.empty();
  };
  const std::string_view package = Choose(file, name, runs_here, shapes);
  if (found || !IsFatPackage(file)) return package;
  throw Error(ExitCode::kBadConfig, fmt::format("{} was built {}; build with --target host", name, why_not));
}

void LoadKernels(Package::Impl& package) {
  package.library = std::make_shared<const KernelLibrary>(KernelLibrary::FromBytes(package.lib, package.name));
  MatchKernels(package.plan, ReadKernelTable(package.library->Text(kKernelTableSymbol), package.name), package.name);
  for (const PlanKernel& kernel : package.plan.kernels) {
    auto& stages = package.functions.emplace_back();
    for (const KernelStage& stage : kernel.stages) stages.push_back(package.library->Find(stage.symbol));
  }
}

// `part` is the package's own bytes within `bytes`.
std::unique_ptr<Package::Impl> Open(MappedBytes bytes, std::string_view part, const std::string& name) {
  auto package = std::make_unique<Package::Impl>();
  package->name = name;
  package->bytes = std::move(bytes);
  PackageSections parts = SplitPackage(part, name);
  CheckFormat(parts.manifest, name);
  CheckModelHash(parts.manifest, name);
  package->manifest = std::move(parts.manifest);
  package->lib = parts.lib;
  package->params = parts.params;
  package->plan = ReadPlan(parts.graph, name);
  ValidatePlan(package->plan, static_cast<int64_t>(package->params.size()), name);
  return package;
}

std::unique_ptr<Package::Impl> OpenForHost(MappedBytes bytes, const std::string& name, const InputShapes& shapes) {
  const std::string_view part = ChooseForHost(bytes.view(), name, shapes);
  std::unique_ptr<Package::Impl> package = Open(std::move(bytes), part, name);
  CheckHost(*package, RequiredFeaturesIn(package->manifest, name));
  LoadKernels(*package);
  return package;
}

std::unique_ptr<Package::Impl> OpenForAny(MappedBytes bytes, const std::string& name, const CanRun& can_run,
                                          const InputShapes& shapes) {
  const std::string_view part = Choose(bytes.view(), name, can_run, shapes);
  return Open(std::move(bytes), part, name);
}

}  // namespace

Package::Package() = default;
Package::~Package() = default;

std::shared_ptr<const Package> Package::Load(const std::string& path, const InputShapes& shapes) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = OpenForHost(MappedBytes::FromFile(path), path, shapes);
  return package;
}

std::shared_ptr<const Package> Package::FromBytes(std::string_view bytes, const std::string& name,
                                                  const InputShapes& shapes) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = OpenForHost(MappedBytes::Copy(bytes), name, shapes);
  return package;
}

std::shared_ptr<const Package> Package::FromBorrowedBytes(std::string_view bytes, const std::string& name) {
  constexpr uintptr_t kAlign = 64;  // alignment of tensors inside
  if (const uintptr_t over = reinterpret_cast<uintptr_t>(bytes.data()) % kAlign; over != 0) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("{}: the bytes begin {} bytes after a multiple of {}; at one would be right", name, over, kAlign));
  }
  std::shared_ptr<Package> package(new Package);
  package->impl_ = OpenForHost(MappedBytes::Borrow(bytes), name, {});
  return package;
}

std::shared_ptr<const Package> Package::FromParts(Plan plan, std::string_view lib, MappedBytes params,
                                                  const std::string& name) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = std::make_unique<Impl>();
  Impl& impl = *package->impl_;
  impl.name = name;
  impl.plan = std::move(plan);
  impl.bytes = std::move(params);
  impl.params = impl.bytes.view();
  ValidatePlan(impl.plan, static_cast<int64_t>(impl.params.size()), name);
  CheckHost(impl, RequiredFeatures(impl.plan));
  impl.lib = lib;
  LoadKernels(impl);
  impl.lib = {};  // the caller's bytes, which need not outlive this call
  return package;
}

std::shared_ptr<const Package> Package::Impl::WithParams(const std::shared_ptr<const Package>& base,
                                                         MappedBytes params) {
  const std::shared_ptr<Package> package(new Package);
  package->impl_ = std::make_unique<Impl>();
  Impl& impl = *package->impl_;
  const Impl& own = base->impl();
  impl.name = own.name;
  impl.library = own.library;
  impl.functions = own.functions;
  impl.bytes = std::move(params);
  impl.params = impl.bytes.view();
  impl.base = base;
  return package;
}

std::shared_ptr<const Package> Package::Inspect(const std::string& path, const CanRun& can_run,
                                                const InputShapes& shapes) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = OpenForAny(MappedBytes::FromFile(path), path, can_run, shapes);
  return package;
}

std::vector<std::shared_ptr<const Package>> Package::InspectAll(const std::string& path) {
  std::vector<std::shared_ptr<const Package>> packages;
  size_t count = 1;
  for (size_t i = 0; i < count; ++i) {
    // Each package has a mapping of its own, which costs no memory.
    MappedBytes bytes = MappedBytes::FromFile(path);
    std::string_view part = bytes.view();
    if (IsFatPackage(part)) {
      const std::vector<std::string_view> parts = SplitFatPackage(part, path);
      // The file may shrink if it is written meanwhile.
      if (i >= parts.size()) break;
      count = parts.size();
      part = parts[i];
    }
    std::shared_ptr<Package> package(new Package);
    package->impl_ = Open(std::move(bytes), part, path);
    packages.push_back(std::move(package));
  }
  return packages;
}

std::shared_ptr<const Package> Package::InspectBytes(std::string_view bytes, const std::string& name) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = OpenForAny(MappedBytes::Copy(bytes), name, nullptr, {});
  return package;
}

const Plan& Package::plan() const { return impl_->base ? impl_->base->plan() : impl_->plan; }
const Json& Package::manifest() const { return impl_->base ? impl_->base->manifest() : impl_->manifest; }
std::string_view Package::lib() const { return impl_->base ? impl_->base->lib() : impl_->lib; }
std::string_view Package::params() const { return impl_->params; }

void Package::VerifyParams() const {
  if (impl_->base) return impl_->base->VerifyParams();  // the replaced parameters came from memory
  CheckSectionHash(impl_->manifest, "params", impl_->params, impl_->name);
}

}  // namespace hone
