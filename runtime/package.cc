#include "runtime/package.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/package_format.h"
#include "core/required_features.h"
#include "runtime/host_cpu.h"
#include "runtime/match_kernels.h"
#include "runtime/package_impl.h"
#include "runtime/package_parts.h"
#include "runtime/validate_plan.h"

namespace hone {
namespace {

std::vector<std::string> RequiredFeatures(const Json& manifest, const std::string& name) {
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

void CheckFormat(const Json& manifest, const std::string& name) {
  const auto format = manifest.find("format");
  if (format == manifest.end() || !format->is_number_integer() || *format != kPackageVersion) {
    throw Error(ExitCode::kBadData,
                fmt::format("{}: manifest: format {} is what this hone reads", name, kPackageVersion));
  }
}

void CheckHost(const Package::Impl& package, const std::vector<std::string>& required_features) {
  const Target& target = package.plan.target;
  const std::string text = target.ToText();
  const std::string architecture = target.triple.substr(0, target.triple.find('-'));
  if (!architecture.empty() && architecture != HostArchitecture()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} was built for {}, this machine is {}; build with --target host",
                                                  package.name, text, HostArchitecture()));
  }
  const std::string missing = FirstMissingFeature(required_features);
  if (!missing.empty()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} was built for {}, which needs {}; this {}; build with "
                            "--target host",
                            package.name, text, missing,
                            missing.starts_with("amx-") ? "CPU or system lacks it" : "CPU lacks it"));
  }
}

void LoadKernels(Package::Impl& package) {
  package.library = KernelLibrary::FromBytes(package.lib, package.name);
  MatchKernels(package.plan, ReadKernelTable(*package.library, package.name), package.name);
  for (const PlanKernel& kernel : package.plan.kernels) {
    auto& stages = package.functions.emplace_back();
    for (const KernelStage& stage : kernel.stages) stages.push_back(package.library->Find(stage.symbol));
  }
}

std::unique_ptr<Package::Impl> Open(MappedBytes bytes, const std::string& name) {
  auto package = std::make_unique<Package::Impl>();
  package->name = name;
  package->bytes = std::move(bytes);
  const PackageParts parts = SplitPackage(package->bytes.view(), name);
  CheckFormat(parts.manifest, name);
  package->manifest = parts.manifest;
  package->lib = parts.lib;
  package->params = parts.params;
  package->plan = PlanFromJson(ParseJson(parts.graph, name + ": graph"));
  ValidatePlan(package->plan, static_cast<int64_t>(package->params.size()), name);
  return package;
}

}  // namespace

Package::Package() = default;
Package::~Package() = default;

std::shared_ptr<const Package> Package::Load(const std::string& path) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = Open(MappedBytes::FromFile(path), path);
  CheckHost(*package->impl_, RequiredFeatures(package->impl_->manifest, package->impl_->name));
  LoadKernels(*package->impl_);
  return package;
}

std::shared_ptr<const Package> Package::FromBytes(std::string_view bytes, const std::string& name) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = Open(MappedBytes::Copy(bytes), name);
  CheckHost(*package->impl_, RequiredFeatures(package->impl_->manifest, package->impl_->name));
  LoadKernels(*package->impl_);
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
  impl.lib = {};  // the caller's
  return package;
}

std::shared_ptr<const Package> Package::Inspect(const std::string& path) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = Open(MappedBytes::FromFile(path), path);
  return package;
}

std::shared_ptr<const Package> Package::InspectBytes(std::string_view bytes, const std::string& name) {
  std::shared_ptr<Package> package(new Package);
  package->impl_ = Open(MappedBytes::Copy(bytes), name);
  return package;
}

const Plan& Package::plan() const { return impl_->plan; }
const Json& Package::manifest() const { return impl_->manifest; }
std::string_view Package::lib() const { return impl_->lib; }
std::string_view Package::params() const { return impl_->params; }

void Package::VerifyParams() const { CheckSectionHash(impl_->manifest, "params", impl_->params, impl_->name); }

}  // namespace hone
