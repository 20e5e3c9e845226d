#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "core/declared_types.h"
#include "core/version.h"
#include "runtime/c_api_guard.h"
#include "runtime/ranged_inputs.h"
#include "runtime/replace_params.h"

namespace hone {

static_assert(HONE_USAGE == static_cast<int>(ExitCode::kUsage) &&
              HONE_BAD_DATA == static_cast<int>(ExitCode::kBadData));
static_assert(HONE_NO_INPUT == static_cast<int>(ExitCode::kNoInput) && HONE_BUG == static_cast<int>(ExitCode::kBug));
static_assert(HONE_IO == static_cast<int>(ExitCode::kIo) && HONE_BAD_CONFIG == static_cast<int>(ExitCode::kBadConfig));
static_assert(HONE_NOT_AUTHORISED == static_cast<int>(ExitCode::kNotAuthorised));
static_assert(HONE_FLOAT32 == static_cast<int>(DType::kFloat32) && HONE_FLOAT64 == static_cast<int>(DType::kFloat64));
static_assert(HONE_INT32 == static_cast<int>(DType::kInt32) && HONE_INT64 == static_cast<int>(DType::kInt64));
static_assert(HONE_INT8 == static_cast<int>(DType::kInt8) && HONE_UINT8 == static_cast<int>(DType::kUInt8));
static_assert(HONE_BOOL == static_cast<int>(DType::kBool));
static_assert(HONE_FLOAT16 == static_cast<int>(DType::kFloat16));
static_assert(HONE_BFLOAT16 == static_cast<int>(DType::kBFloat16));
static_assert(HONE_INT16 == static_cast<int>(declared::kInt16) && HONE_UINT64 == static_cast<int>(declared::kUInt64));
static_assert(HONE_FLOAT8_E4M3FN == static_cast<int>(declared::kFloat8E4M3FN));
static_assert(HONE_FLOAT4_E2M1FN == static_cast<int>(declared::kFloat4E2M1FN));
static_assert(HONE_INT4 == static_cast<int>(declared::kInt4) && HONE_UINT2 == static_cast<int>(declared::kUInt2));

std::string& LastErrorText() {
  thread_local std::string text;
  return text;
}

// Shared by all functions that can fail, so that each need not contain the handlers.
hone_status StatusOfFailure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    LastErrorText() = error.what();
    return static_cast<hone_status>(error.code());
  } catch (const std::bad_alloc&) {
    LastErrorText() = "there is no memory";
    return HONE_IO;
  } catch (const std::exception& error) {
    LastErrorText() = error.what();
  } catch (...) {
    LastErrorText() = "an unknown failure";
  }
  return HONE_BUG;
}

void RequireKnown(const void* options, size_t struct_bytes, size_t least, size_t known, const char* type) {
  if (struct_bytes < least) {
    throw Error(ExitCode::kUsage,
                fmt::format("options: struct_bytes is {}; sizeof({}), {}, would be right", struct_bytes, type, known));
  }
  const char* const bytes = static_cast<const char*>(options);
  if (std::any_of(bytes + std::min(known, struct_bytes), bytes + struct_bytes, [](char byte) { return byte != 0; })) {
    throw Error(ExitCode::kUsage, "options: set what this version of hone does not know; newer members must be 0");
  }
}

void RefuseNull(const char* what) { throw Error(ExitCode::kUsage, fmt::format("{} is null", what)); }

const PlanBuffer& BufferAt(const Plan& plan, const std::vector<int>& list, int32_t index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) {
    throw Error(ExitCode::kUsage, fmt::format("no {} {}; there are {}", what, index, list.size()));
  }
  return plan.buffers[list[index]];
}

hone_tensor_info InfoOf(const PlanBuffer& buffer, const Shape& shape) {
  hone_tensor_info info{};
  info.name = buffer.name.c_str();
  info.dtype = static_cast<hone_dtype>(buffer.dtype);
  info.rank = static_cast<int32_t>(shape.size());
  info.shape = shape.data();
  info.size_bytes = static_cast<size_t>(ElementCount(shape) * DTypeBytes(buffer.dtype));
  return info;
}

namespace {

InputShapes ShapesOf(const hone_tensor_info* inputs, int32_t count) {
  if (count < 0) throw Error(ExitCode::kUsage, fmt::format("count is {}; 0 or more would be right", count));
  if (count > 0) RequirePointer(inputs, "inputs");
  InputShapes shapes;
  for (int32_t i = 0; i < count; ++i) {
    RequirePointer(inputs[i].name, "an input's name");
    if (inputs[i].rank < 0) {
      throw Error(ExitCode::kUsage,
                  fmt::format("the rank of {} is {}; 0 or more would be right", inputs[i].name, inputs[i].rank));
    }
    if (inputs[i].rank > 0) RequirePointer(inputs[i].shape, "an input's shape");
    shapes[inputs[i].name] = Shape(inputs[i].shape, inputs[i].shape + inputs[i].rank);
  }
  return shapes;
}

int32_t IndexOf(const Plan& plan, const std::vector<int>& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (plan.buffers[list[i]].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace
}  // namespace hone

using hone::Guarded;
using hone::RequirePointer;

int32_t hone_api_version(void) { return HONE_API_VERSION; }

const char* hone_version(void) { return hone::HoneVersion(); }

const char* hone_error_text(void) { return hone::LastErrorText().c_str(); }

hone_status hone_package_load(const char* path, hone_package** package) {
  return Guarded([&] {
    RequirePointer(path, "path");
    RequirePointer(package, "package");
    *package = nullptr;
    *package = new hone_package{hone::Package::Load(path)};
  });
}

hone_status hone_package_load_for(const char* path, const hone_tensor_info* inputs, int32_t count,
                                  hone_package** package) {
  return Guarded([&] {
    RequirePointer(path, "path");
    RequirePointer(package, "package");
    *package = nullptr;
    *package = new hone_package{hone::Package::Load(path, hone::ShapesOf(inputs, count))};
  });
}

hone_status hone_package_load_memory(const void* bytes, size_t size_bytes, hone_package** package) {
  return Guarded([&] {
    RequirePointer(package, "package");
    *package = nullptr;
    RequirePointer(bytes, "bytes");
    const std::string_view view(static_cast<const char*>(bytes), size_bytes);
    *package = new hone_package{hone::Package::FromBorrowedBytes(view, "the package in memory")};
  });
}

hone_status hone_package_with_params(const hone_package* package, const hone_param* params, int32_t count,
                                     hone_package** replaced) {
  return Guarded([&] {
    RequirePointer(replaced, "replaced");
    *replaced = nullptr;
    RequirePointer(package, "package");
    if (count < 0)
      throw hone::Error(hone::ExitCode::kUsage, fmt::format("count is {}; 0 or more would be right", count));
    if (count > 0) RequirePointer(params, "params");
    std::vector<hone::NewParam> given;
    for (int32_t i = 0; i < count; ++i) {
      RequirePointer(params[i].name, "a parameter's name");
      if (params[i].size_bytes > 0) RequirePointer(params[i].data, "a parameter's data");
      given.push_back({params[i].name, {static_cast<const char*>(params[i].data), params[i].size_bytes}});
    }
    *replaced = new hone_package{hone::WithNewParams(package->package, given)};
  });
}

hone_status hone_package_param_info(const hone_package* package, const char* name, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(name, "a parameter's name");
    RequirePointer(info, "info");
    thread_local hone::ParamType found;
    found = hone::TypeOfOpenParam(*package->package, name);
    info->name = name;
    info->dtype = static_cast<hone_dtype>(found.dtype);
    info->rank = static_cast<int32_t>(found.shape.size());
    info->shape = found.shape.data();
    info->size_bytes = static_cast<size_t>(hone::ElementCount(found.shape) * hone::DTypeBytes(found.dtype));
  });
}

void hone_package_free(hone_package* package) { delete package; }

hone_status hone_package_verify(const hone_package* package) {
  return Guarded([&] {
    RequirePointer(package, "package");
    package->package->VerifyParams();
  });
}

int32_t hone_package_inputs(const hone_package* package) {
  return package == nullptr ? 0 : static_cast<int32_t>(package->package->plan().inputs.size());
}

int32_t hone_package_outputs(const hone_package* package) {
  return package == nullptr ? 0 : static_cast<int32_t>(package->package->plan().outputs.size());
}

hone_status hone_package_input_info(const hone_package* package, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(info, "info");
    const hone::Plan& plan = package->package->plan();
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, plan.inputs, index, "input");
    *info = hone::InfoOf(buffer, buffer.shape);
  });
}

hone_status hone_package_output_info(const hone_package* package, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(info, "info");
    const hone::Plan& plan = package->package->plan();
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, plan.outputs, index, "output");
    *info = hone::InfoOf(buffer, buffer.shape);
  });
}

hone_status hone_package_input_range(const hone_package* package, int32_t index, int32_t axis, hone_range* range) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(range, "range");
    const hone::Plan& plan = package->package->plan();
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, plan.inputs, index, "input");
    if (axis < 0 || static_cast<size_t>(axis) >= buffer.shape.size()) {
      throw hone::Error(hone::ExitCode::kUsage, fmt::format("input '{}' has no axis {}; its rank is {}", buffer.name,
                                                            axis, buffer.shape.size()));
    }
    const hone::RangedAxis* const found = hone::RangeOf(plan, static_cast<size_t>(index), static_cast<size_t>(axis));
    const int64_t most = buffer.shape[axis];
    *range = found == nullptr ? hone_range{"", most, most}
                              : hone_range{plan.buffers[found->extent].name.c_str(), found->least, most};
  });
}

int32_t hone_package_output_is_counted(const hone_package* package, int32_t index) {
  if (package == nullptr || index < 0) return 0;
  const std::vector<hone::CountedAxis>& counted = package->package->plan().counted;
  return std::any_of(counted.begin(), counted.end(), [index](const auto& axis) { return axis.output == index; });
}

int32_t hone_package_input_index(const hone_package* package, const char* name) {
  if (package == nullptr || name == nullptr) return -1;
  const hone::Plan& plan = package->package->plan();
  return hone::IndexOf(plan, plan.inputs, name);
}

int32_t hone_package_output_index(const hone_package* package, const char* name) {
  if (package == nullptr || name == nullptr) return -1;
  const hone::Plan& plan = package->package->plan();
  return hone::IndexOf(plan, plan.outputs, name);
}

int32_t hone_package_states(const hone_package* package) {
  return package == nullptr ? 0 : static_cast<int32_t>(package->package->plan().states.size());
}

hone_status hone_package_state_info(const hone_package* package, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(info, "info");
    const hone::Plan& plan = package->package->plan();
    std::vector<int> buffers;
    for (const hone::PlanState& state : plan.states) buffers.push_back(state.before);
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, buffers, index, "state");
    *info = hone::InfoOf(buffer, buffer.shape);
  });
}

int32_t hone_package_state_axis(const hone_package* package, int32_t index) {
  if (package == nullptr || index < 0 || index >= hone_package_states(package)) return -1;
  return package->package->plan().states[static_cast<size_t>(index)].axis;
}
