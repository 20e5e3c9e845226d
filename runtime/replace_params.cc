#include "runtime/replace_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/nth.h"
#include "core/package/packed_param.h"
#include "core/text/spelling.h"
#include "runtime/package_impl.h"

namespace hone {
namespace {

[[noreturn]] void Damaged(const std::string& package, const std::string& what) {
  throw Error(ExitCode::kBadData, fmt::format("{}: open_params of the manifest: {}", package, what));
}

// The manifest's entry for one of the model's parameters.
struct OpenParam {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<ParamPlace> places;
};

OpenParam ReadOpenParam(const Json& json) {
  OpenParam param;
  param.dtype = ParseDType(json.at("dtype").get<std::string>());
  for (const Json& dim : json.at("shape")) param.shape.push_back(dim.get<int64_t>());
  for (const Json& place : json.at("places")) {
    param.places.push_back({place.at("buffer").get<int>(), place.at("transposed").get<bool>()});
  }
  return param;
}

// The buffer that the parameter may be written to. The manifest's bytes are not trusted.
const PlanBuffer& BufferOf(const Plan& plan, const OpenParam& param, const ParamPlace& place, const std::string& name) {
  if (place.buffer < 0 || static_cast<size_t>(place.buffer) >= plan.buffers.size()) Damaged(name, "no such buffer");
  const PlanBuffer& buffer = Nth(plan.buffers, place.buffer);
  if (buffer.kind != BufferKind::kParam) Damaged(name, "a buffer of another kind");
  if (place.transposed && param.shape.size() != 2) Damaged(name, "what is transposed is no matrix");
  if (ElementCount(buffer.shape) != ElementCount(param.shape)) Damaged(name, "a buffer of another size");
  return buffer;
}

void Put(const OpenParam& param, std::string_view bytes, const Plan& plan, const std::string& name, MappedBytes& to) {
  Tensor value(param.dtype, param.shape);
  if (!bytes.empty()) std::memcpy(value.raw(), bytes.data(), bytes.size());
  for (const ParamPlace& place : param.places) {
    const PlanBuffer& buffer = BufferOf(plan, param, place, name);
    const Tensor packed = PackParam(value, place.transposed, buffer);
    if (packed.size_bytes() != buffer.size_bytes) Damaged(name, "a buffer of another size");
    if (packed.size_bytes() == 0) continue;
    std::memcpy(to.data() + buffer.offset_bytes, packed.raw(), static_cast<size_t>(packed.size_bytes()));
  }
}

const Json& OpenParams(const Package& package) {
  const Json& manifest = package.manifest();
  if (!manifest.is_object() || !manifest.contains("open_params") || !manifest.at("open_params").is_object()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} does not tell which parameters can be replaced; `hone package open-params` makes a "
                            "package that does",
                            package.impl().name));
  }
  return manifest.at("open_params");
}

// Finds a parameter by the model's name. Throws if the manifest does not list it.
OpenParam FindParam(const Json& all, const std::string& name, const std::string& package) {
  const auto it = all.find(name);
  if (it == all.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : all.items()) names.push_back(known);
    throw Error(ExitCode::kUsage,
                fmt::format("{} has no parameter {} that can be replaced when it is loaded{}; `hone package "
                            "replace-params` puts any in",
                            package, name, DidYouMean(name, names)));
  }
  try {
    return ReadOpenParam(*it);
  } catch (const Json::exception&) {
    Damaged(package, name + " must have dtype, shape and places");
  }
}

}  // namespace

ParamType TypeOfOpenParam(const Package& package, const std::string& name) {
  const OpenParam param = FindParam(OpenParams(package), name, package.impl().name);
  return {param.dtype, param.shape};
}

std::shared_ptr<const Package> WithNewParams(const std::shared_ptr<const Package>& package,
                                             const std::vector<NewParam>& params) {
  const std::string& name = package->impl().name;
  const Json& all = OpenParams(*package);
  MappedBytes bytes = MappedBytes::Zeros(package->params().size());
  if (bytes.size() > 0) std::memcpy(bytes.data(), package->params().data(), bytes.size());
  for (const NewParam& param : params) {
    const auto same = [&](const NewParam& other) { return other.name == param.name; };
    if (std::count_if(params.begin(), params.end(), same) > 1) {
      throw Error(ExitCode::kUsage, fmt::format("parameter {} is given twice", param.name));
    }
    const OpenParam open = FindParam(all, param.name, name);
    const int64_t wanted = ElementCount(open.shape) * DTypeBytes(open.dtype);
    if (static_cast<int64_t>(param.bytes.size()) != wanted) {
      throw Error(ExitCode::kUsage,
                  fmt::format("parameter {} is {} {}: {} bytes were given; {} would be right", param.name,
                              DTypeName(open.dtype), ShapeText(open.shape), param.bytes.size(), wanted));
    }
    Put(open, param.bytes, package->plan(), name, bytes);
  }
  return Package::Impl::WithParams(package, std::move(bytes));
}

}  // namespace hone
