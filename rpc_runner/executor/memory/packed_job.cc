#include "rpc_runner/executor/memory/packed_job.h"

#include <string>
#include <utility>
#include <vector>

#include "core/json/serialize.h"

namespace hone {
namespace {

// A new field does not compile until it is named here.
void PackStage(const KernelStage& stage, BytePacker& packer) {
  const auto& [symbol, extent, grain, worker_workspace_bytes] = stage;
  packer.PutText(symbol);
  packer.Put(extent);
  packer.Put(grain);
  packer.Put(worker_workspace_bytes);
}

KernelStage UnpackStage(ByteUnpacker& unpacker) {
  KernelStage stage;
  stage.symbol = unpacker.TakeText();
  stage.extent = unpacker.Take<int64_t>();
  stage.grain = unpacker.Take<int64_t>();
  stage.worker_workspace_bytes = unpacker.Take<int64_t>();
  return stage;
}

void PackOperand(const KernelOperand& operand, BytePacker& packer) {
  const auto& [role, dtype, shape, layout] = operand;
  packer.Put(role);
  packer.Put(dtype);
  packer.Put(shape.size());
  for (const int64_t dim : shape) packer.Put(dim);
  packer.PutText(layout.empty() ? "" : layout.ToText());
}

KernelOperand UnpackOperand(ByteUnpacker& unpacker) {
  KernelOperand operand;
  operand.role = unpacker.Take<OperandRole>();
  operand.dtype = unpacker.Take<DType>();
  operand.shape.resize(unpacker.Take<size_t>());
  for (int64_t& dim : operand.shape) dim = unpacker.Take<int64_t>();
  if (const std::string_view layout = unpacker.TakeText(); !layout.empty()) operand.layout = Layout::Parse(layout);
  return operand;
}

template <typename T>
std::vector<T> UnpackList(ByteUnpacker& unpacker, T (*unpack)(ByteUnpacker&)) {
  std::vector<T> values;
  for (size_t left = unpacker.Take<size_t>(); left > 0; --left) values.push_back(unpack(unpacker));
  return values;
}

}  // namespace

void PackArtifact(const Artifact& artifact, BytePacker& packer) {
  const auto& [elf, object_sha256, stages, operands, shared_workspace_bytes, required_features] = artifact;
  packer.PutText(elf);
  packer.PutText(object_sha256);
  packer.Put(stages.size());
  for (const KernelStage& stage : stages) PackStage(stage, packer);
  packer.Put(operands.size());
  for (const KernelOperand& operand : operands) PackOperand(operand, packer);
  packer.Put(shared_workspace_bytes);
  packer.Put(required_features.size());
  for (const std::string& feature : required_features) packer.PutText(feature);
}

Artifact UnpackArtifact(ByteUnpacker& unpacker) {
  Artifact artifact;
  artifact.elf = unpacker.TakeText();
  artifact.object_sha256 = unpacker.TakeText();
  artifact.stages = UnpackList(unpacker, UnpackStage);
  artifact.operands = UnpackList(unpacker, UnpackOperand);
  artifact.shared_workspace_bytes = unpacker.Take<int64_t>();
  artifact.required_features =
      UnpackList<std::string>(unpacker, [](ByteUnpacker& from) { return std::string(from.TakeText()); });
  return artifact;
}

void PackPackage(const PackageJob& job, BytePacker& packer) {
  const auto& [plan, lib, params, exact_params, inputs, wants_outputs, runs, timing, group] = job;
  packer.PutText(DumpJson(ToJson(plan)));
  packer.PutText(lib);
  packer.Put(params.has_value());
  packer.PutText(exact_params);
  packer.Put(inputs.has_value());
  packer.Put(wants_outputs);
  packer.Put(runs);
  packer.Put(timing);
}

PackageJob UnpackPackage(ByteUnpacker& unpacker) {
  PackageJob job;
  job.plan = PlanFromJson(ParseJson(unpacker.TakeText(), "the job's plan"));
  job.lib = unpacker.TakeText();
  if (unpacker.Take<bool>()) job.params.emplace();
  job.exact_params = unpacker.TakeText();
  if (unpacker.Take<bool>()) job.inputs.emplace();
  job.wants_outputs = unpacker.Take<bool>();
  job.runs = unpacker.Take<int>();
  job.timing = unpacker.Take<TimingPolicy>();
  return job;
}

}  // namespace hone
