#include "rpc_runner/executor/job_data.h"

#include <fmt/format.h>

#include <cstring>

#include "core/artifact.h"
#include "core/fill_operand.h"
#include "core/random.h"
#include "rpc_runner/executor/child_process.h"
#include "rpc_runner/executor/job_limits.h"

namespace hone {
namespace {

std::shared_ptr<SharedRegion> RegionOf(const Tensor& tensor) {
  auto region = std::make_shared<SharedRegion>(tensor.size_bytes());
  std::memcpy(region->data(), tensor.raw(), static_cast<size_t>(tensor.size_bytes()));
  return region;
}

Tensor TensorOf(const SharedRegion& region, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  std::memcpy(tensor.raw(), region.data(), static_cast<size_t>(tensor.size_bytes()));
  return tensor;
}

// Whether packing would change nothing.
bool IsRowMajor(const KernelOperand& operand) { return operand.layout.empty() || !operand.layout.blocked(); }

uint64_t OperandSeed(uint64_t seed, size_t index) { return Random(seed + 0x9E3779B97F4A7C15u * (index + 1)).Next(); }

struct RawOutputs {
  std::shared_ptr<SharedRegion> value;
  std::shared_ptr<SharedRegion> magnitude;
};

RawOutputs Run(RegionCache& cache, const ReferenceRun& run, uint64_t seed, Nursery& nursery) {
  const Artifact& reference = *run.artifact;
  ChildTask task;
  task.artifact = &reference;
  task.timing.threads = run.threads;
  task.inputs.emplace_back();
  const size_t inputs = reference.operands.size() - 2;
  for (size_t i = 0; i < inputs; ++i) task.inputs[0].push_back(InputFor(cache, reference.operands[i], i, seed));
  for (size_t i = inputs; i < inputs + 2; ++i) {
    task.outputs.push_back(std::make_shared<SharedRegion>(PhysicalBytes(reference.operands[i])));
  }
  task.timing.deadline_ns = run.deadline_ns;
  task.timing.memory_bytes = run.memory_bytes;
  ChildProcess child(task, nursery);
  const auto note = child.WaitReady() ? child.Ask(CommandKind::kRun, 0) : std::nullopt;
  if (!note) throw ReferenceFailed(fmt::format("the reference cannot run here: {}", child.ending().message));
  if (note->code != 0) throw ReferenceFailed(fmt::format("the reference returned {}", note->code));
  return {task.outputs[0], task.outputs[1]};
}

RawOutputs OutputsOf(RegionCache& cache, const ReferenceRun& reference, uint64_t seed, Nursery& nursery) {
  const std::string value_name = fmt::format("value {} {}", reference.name, seed);
  const std::string magnitude_name = fmt::format("magnitude {} {}", reference.name, seed);
  RawOutputs raw{cache.Find(value_name), cache.Find(magnitude_name)};
  if (raw.value == nullptr || raw.magnitude == nullptr) {
    raw = Run(cache, reference, seed, nursery);
    cache.Insert(value_name, raw.value);
    cache.Insert(magnitude_name, raw.magnitude);
  }
  return raw;
}

// Pack expects strides and dtype of the physical tensor: contiguous, row-major over the layout's axes.
Tensor PackFor(const KernelOperand& operand, const Tensor& logical) {
  return IsRowMajor(operand) ? logical : Pack(logical, operand.layout);
}

}  // namespace

std::shared_ptr<SharedRegion> InputFor(RegionCache& cache, const KernelOperand& operand, size_t index, uint64_t seed) {
  const std::string shape = fmt::format("input {} {} {} {} {}", seed, index, static_cast<int>(operand.role),
                                        DTypeName(operand.dtype), ShapeText(operand.shape));
  const bool row_major = IsRowMajor(operand);
  const std::string name = row_major ? shape : shape + " " + operand.layout.ToText();
  if (auto region = cache.Find(name)) return region;
  std::shared_ptr<SharedRegion> region;
  if (row_major) {
    region = RegionOf(RandomOperand(operand, OperandSeed(seed, index)));
  } else {
    KernelOperand plain = operand;
    plain.layout = Layout();
    const auto logical = InputFor(cache, plain, index, seed);
    region = RegionOf(Pack(TensorOf(*logical, operand.dtype, operand.shape), operand.layout));
    logical->Unmap();
  }
  // The child maps the region itself, and so do later ones.
  region->Seal();
  cache.Insert(name, region);
  return region;
}

std::shared_ptr<SharedRegion> ExpectedFor(RegionCache& cache, const ReferenceRun& reference,
                                          const KernelOperand& output, uint64_t seed, Nursery& nursery) {
  const std::string layout = IsRowMajor(output) ? "" : output.layout.ToText();
  const std::string name = fmt::format("expected {} {} {}", reference.name, seed, layout);
  if (auto region = cache.Find(name)) return region;
  const RawOutputs raw = OutputsOf(cache, reference, seed, nursery);
  const Tensor value = PackFor(output, TensorOf(*raw.value, DType::kFloat64, output.shape));
  Tensor magnitude = TensorOf(*raw.magnitude, DType::kFloat64, output.shape);
  for (int64_t i = 0; i < magnitude.elements(); ++i) magnitude.data<double>()[i] += 1;
  magnitude = PackFor(output, magnitude);
  auto region = std::make_shared<SharedRegion>(value.size_bytes() + magnitude.size_bytes());
  std::memcpy(region->data(), value.raw(), static_cast<size_t>(value.size_bytes()));
  std::memcpy(region->data() + value.size_bytes(), magnitude.raw(), static_cast<size_t>(magnitude.size_bytes()));
  raw.value->Unmap();
  raw.magnitude->Unmap();
  region->Seal();
  cache.Insert(name, region);
  return region;
}

}  // namespace hone
