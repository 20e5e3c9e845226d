#include "rpc_runner/executor/loaded_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/random.h"
#include "runtime/mapped_bytes.h"

namespace hone {
namespace {

// In [-1/16, 1/16): small enough that a deep network neither overflows nor ends in denormals.
void FillFloats(char* data, int64_t bytes, Random& random) {
  float* values = reinterpret_cast<float*>(data);
  for (int64_t i = 0; i < bytes / 4; i += 2) {
    const uint64_t bits = random.Next();
    values[i] = (static_cast<float>(bits & 0xFFFF) - 32768.0F) / 524288.0F;
    if (i + 1 < bytes / 4) values[i + 1] = (static_cast<float>(bits >> 48) - 32768.0F) / 524288.0F;
  }
}

bool Inside(const PlanBuffer& buffer, int64_t params_bytes) {
  return buffer.offset_bytes >= 0 && buffer.size_bytes >= 0 && buffer.offset_bytes <= params_bytes &&
         buffer.size_bytes <= params_bytes - buffer.offset_bytes;
}

MappedBytes ParamsOf(const PackageJob& job) {
  MappedBytes params = MappedBytes::Zeros(static_cast<size_t>(job.plan.params_bytes));
  Random random(job.plan.calls.size());
  size_t used = 0;
  for (const PlanBuffer& buffer : job.plan.buffers) {
    if (buffer.kind != BufferKind::kParam) continue;
    if (!Inside(buffer, job.plan.params_bytes)) {
      throw Error(ExitCode::kBadData, fmt::format("parameter {} lies outside the parameters", buffer.name));
    }
    char* data = params.data() + buffer.offset_bytes;
    if (buffer.dtype == DType::kFloat32) {
      FillFloats(data, buffer.size_bytes, random);
      continue;
    }
    const auto bytes = static_cast<size_t>(buffer.size_bytes);
    if (bytes > job.exact_params.size() - used) {
      throw Error(ExitCode::kBadData, fmt::format("parameter {} did not come with the job", buffer.name));
    }
    std::memcpy(data, job.exact_params.data() + used, bytes);
    used += bytes;
  }
  return params;
}

}  // namespace

LoadedPackage::LoadedPackage(const PackageJob& job, bool pin)
    : job_(job), pool_(std::make_unique<ThreadPool>(job.timing.threads, pin)) {
  auto package = Package::FromParts(job.plan, job.lib, ParamsOf(job), "package");
  session_ = std::make_unique<Session>(std::move(package), SessionOptions{0, false, pool_.get()});
  Random random(1);
  for (size_t i = 0; i < job.plan.inputs.size(); ++i) {
    const PlanBuffer& buffer = job.plan.buffers[static_cast<size_t>(job.plan.inputs[i])];
    // Other dtypes stay zero, which is an index that every table has.
    if (buffer.dtype != DType::kFloat32) continue;
    FillFloats(static_cast<char*>(session_->InputData(static_cast<int>(i))), buffer.size_bytes, random);
  }
}

void LoadedPackage::Time(int64_t* table) {
  session_->Run();
  for (int run = 0; run < job_.runs; ++run) {
    const std::vector<int64_t> calls_ns = session_->RunProfiled();
    std::copy(calls_ns.begin(), calls_ns.end(), table + static_cast<size_t>(run) * calls_ns.size());
  }
}

}  // namespace hone
