#include "rpc_runner/executor/loaded_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/random.h"
#include "core/small_floats.h"
#include "runtime/load/mapped_bytes.h"

namespace hone {
namespace {

// A value in [-1/16, 1/16) from 16 bits, so small that a deep network neither overflows nor ends in denormals.
float SmallValue(uint64_t bits) { return (static_cast<float>(bits & 0xFFFF) - 32768.0F) / 524288.0F; }

void FillFloats(char* data, int64_t bytes, Random& random) {
  float* values = reinterpret_cast<float*>(data);
  for (int64_t i = 0; i < bytes / 4; i += 2) {
    const uint64_t bits = random.Next();
    values[i] = SmallValue(bits);
    if (i + 1 < bytes / 4) values[i + 1] = SmallValue(bits >> 48);
  }
}

void FillBFloats(char* data, int64_t bytes, Random& random) {
  auto* values = reinterpret_cast<BFloat16*>(data);
  for (int64_t i = 0; i < bytes / 2; ++i) values[i] = BFloat16(SmallValue(random.Next() >> 48));
}

bool Inside(const PlanBuffer& buffer, int64_t params_bytes) {
  return buffer.offset_bytes >= 0 && buffer.size_bytes >= 0 && buffer.offset_bytes <= params_bytes &&
         buffer.size_bytes <= params_bytes - buffer.offset_bytes;
}

int64_t SentBytes(const std::shared_ptr<const SharedRegion>& region) { return region ? region->size_bytes() : 0; }

MappedBytes SentParams(const PackageJob& job, const PackageData& data) {
  if (SentBytes(data.params) != job.plan.params_bytes) {
    throw Error(ExitCode::kBadData, fmt::format("{} bytes of parameters came; the plan has {}", SentBytes(data.params),
                                                job.plan.params_bytes));
  }
  if (!data.params) return {};
  MappedBytes params = MappedBytes::Zeros(static_cast<size_t>(job.plan.params_bytes));
  std::memcpy(params.data(), data.params->data(), params.size());
  data.params->Unmap();
  return params;
}

MappedBytes RandomParams(const PackageJob& job) {
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
    if (IsRandomParam(buffer.dtype)) {
      FillBFloats(data, buffer.size_bytes, random);
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

LoadedPackage::LoadedPackage(const PackageJob& job, const PackageData& data, bool pin)
    : job_(job), pool_(std::make_unique<ThreadPool>(job.timing.threads, pin, Crowding::kStay)) {
  auto package =
      Package::FromParts(job.plan, job.lib, job.params ? SentParams(job, data) : RandomParams(job), "package");
  session_ = std::make_unique<Session>(std::move(package), SessionOptions{0, false, pool_.get()});
  FillInputs(data);
}

void LoadedPackage::FillInputs(const PackageData& data) {
  const auto buffer_of = [this](size_t i) -> const PlanBuffer& {
    return job_.plan.buffers[static_cast<size_t>(job_.plan.inputs[i])];
  };
  if (job_.inputs) {
    int64_t used = 0;
    for (size_t i = 0; i < job_.plan.inputs.size(); ++i) {
      const int64_t bytes = buffer_of(i).size_bytes;
      if (bytes > SentBytes(data.inputs) - used)
        throw Error(ExitCode::kBadData, "the inputs are shorter than the plan's");
      if (bytes > 0) {
        std::memcpy(session_->InputData(static_cast<int>(i)), data.inputs->data() + used, static_cast<size_t>(bytes));
      }
      used += bytes;
    }
    if (used != SentBytes(data.inputs)) throw Error(ExitCode::kBadData, "the inputs are longer than the plan's");
    if (data.inputs) data.inputs->Unmap();
    return;
  }
  Random random(1);
  for (size_t i = 0; i < job_.plan.inputs.size(); ++i) {
    const PlanBuffer& buffer = buffer_of(i);
    // Other dtypes stay zero, which is a valid index into any table.
    if (buffer.dtype != DType::kFloat32) continue;
    FillFloats(static_cast<char*>(session_->InputData(static_cast<int>(i))), buffer.size_bytes, random);
  }
}

void LoadedPackage::Time(int64_t* table) {
  if (!job_.wants_outputs) session_->Run();
  for (int run = 0; run < job_.runs; ++run) {
    const std::vector<int64_t> calls_ns = session_->RunProfiled();
    std::copy(calls_ns.begin(), calls_ns.end(), table + static_cast<size_t>(run) * calls_ns.size());
  }
}

void LoadedPackage::CopyOutputs(char* to) const {
  for (size_t i = 0; i < job_.plan.outputs.size(); ++i) {
    const auto bytes = static_cast<size_t>(job_.plan.buffers[static_cast<size_t>(job_.plan.outputs[i])].size_bytes);
    if (bytes > 0) std::memcpy(to, session_->OutputData(static_cast<int>(i)), bytes);
    to += bytes;
  }
}

}  // namespace hone
