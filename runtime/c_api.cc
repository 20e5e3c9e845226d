#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "core/error.h"
#include "runtime/hone.h"
#include "runtime/package.h"
#include "runtime/session.h"

struct hone_package {
  std::shared_ptr<const hone::Package> package;
};
struct hone_session {
  std::unique_ptr<hone::Session> session;
};

namespace hone {
namespace {

static_assert(HONE_FLOAT32 == static_cast<int>(DType::kFloat32) && HONE_FLOAT64 == static_cast<int>(DType::kFloat64));
static_assert(HONE_INT32 == static_cast<int>(DType::kInt32) && HONE_INT64 == static_cast<int>(DType::kInt64));
static_assert(HONE_INT8 == static_cast<int>(DType::kInt8) && HONE_UINT8 == static_cast<int>(DType::kUInt8));
static_assert(HONE_BOOL == static_cast<int>(DType::kBool));
static_assert(HONE_FLOAT16 == static_cast<int>(DType::kFloat16));
static_assert(HONE_BFLOAT16 == static_cast<int>(DType::kBFloat16));

thread_local std::string last_error;

// No exception may leave a C function: each becomes a status and the thread's error text.
template <typename Body>
hone_status Guarded(const Body& body) noexcept {
  try {
    body();
    return HONE_OK;
  } catch (const Error& error) {
    last_error = error.what();
    return static_cast<hone_status>(error.code());
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "an unknown failure";
  }
  return HONE_BUG;
}

void RequirePointer(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ExitCode::kUsage, fmt::format("{} is null", what));
}

const PlanBuffer& BufferAt(const Plan& plan, const std::vector<int>& list, int32_t index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) {
    throw Error(ExitCode::kUsage, fmt::format("no {} {}; there are {}", what, index, list.size()));
  }
  return plan.buffers[list[index]];
}

hone_tensor_info InfoOf(const PlanBuffer& buffer) {
  hone_tensor_info info{};
  info.name = buffer.name.c_str();
  info.dtype = static_cast<hone_dtype>(buffer.dtype);
  info.rank = static_cast<int32_t>(buffer.shape.size());
  info.shape = buffer.shape.data();
  info.size_bytes = static_cast<size_t>(buffer.size_bytes);
  return info;
}

void CopyChecked(void* to, const void* from, size_t given, const PlanBuffer& buffer, const char* what) {
  if (given != static_cast<size_t>(buffer.size_bytes)) {
    throw Error(ExitCode::kUsage, fmt::format("{} '{}': {} bytes were given; {} would be right", what, buffer.name,
                                              given, buffer.size_bytes));
  }
  if (given > 0) std::memcpy(to, from, given);
}

}  // namespace
}  // namespace hone

using hone::Guarded;
using hone::RequirePointer;

int32_t hone_api_version(void) { return HONE_API_VERSION; }

const char* hone_error_text(void) { return hone::last_error.c_str(); }

hone_status hone_package_load(const char* path, hone_package** package) {
  return Guarded([&] {
    RequirePointer(path, "path");
    RequirePointer(package, "package");
    *package = nullptr;
    *package = new hone_package{hone::Package::Load(path)};
  });
}

void hone_package_free(hone_package* package) { delete package; }

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
    *info = hone::InfoOf(hone::BufferAt(plan, plan.inputs, index, "input"));
  });
}

hone_status hone_package_output_info(const hone_package* package, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(info, "info");
    const hone::Plan& plan = package->package->plan();
    *info = hone::InfoOf(hone::BufferAt(plan, plan.outputs, index, "output"));
  });
}

hone_status hone_session_create(const hone_package* package, int32_t threads, hone_session** session) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(session, "session");
    *session = nullptr;
    hone::SessionOptions options;
    options.threads = threads;
    *session = new hone_session{std::make_unique<hone::Session>(package->package, options)};
  });
}

void hone_session_free(hone_session* session) { delete session; }

hone_status hone_session_set_input(hone_session* session, int32_t index, const void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    const hone::Plan& plan = session->session->package().plan();
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, plan.inputs, index, "input");
    if (size_bytes > 0) RequirePointer(data, "data");
    hone::CopyChecked(session->session->InputData(index), data, size_bytes, buffer, "input");
  });
}

hone_status hone_session_run(hone_session* session) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->session->Run();
  });
}

hone_status hone_session_get_output(const hone_session* session, int32_t index, void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    const hone::Plan& plan = session->session->package().plan();
    const hone::PlanBuffer& buffer = hone::BufferAt(plan, plan.outputs, index, "output");
    if (size_bytes > 0) RequirePointer(data, "data");
    hone::CopyChecked(data, session->session->OutputData(index), size_bytes, buffer, "output");
  });
}
