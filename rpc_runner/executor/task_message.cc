#include "rpc_runner/executor/task_message.h"

#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/error.h"
#include "core/json/serialize.h"

namespace hone {
namespace {

constexpr int64_t kNoRegion = -1;  // in place of a size

// Values of these types are sent as they lie in memory, since both processes are of the same program.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T>;

// Writes values one after the other, and collects the descriptors of regions.
class BytePacker {
 public:
  template <Plain T>
  void Put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void PutText(std::string_view text) {
    Put(text.size());
    bytes_ += text;
  }
  void PutRegion(const SharedRegion* region) {
    Put(region == nullptr ? kNoRegion : region->size_bytes());
    if (region != nullptr) descriptors_.push_back(region->fd());
  }
  const std::string& bytes() const { return bytes_; }
  const std::vector<int>& descriptors() const { return descriptors_; }

 private:
  std::string bytes_;
  std::vector<int> descriptors_;
};

// Reads values in the same order. Throws Error(kBug) past the end of the bytes, which must outlive it, and Error(kIo)
// past the last descriptor.
class ByteUnpacker {
 public:
  ByteUnpacker(std::string_view bytes, std::span<const int> descriptors) : left_(bytes), descriptors_(descriptors) {}

  template <Plain T>
  T Take() {
    T value{};
    std::memcpy(&value, Next(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::string_view TakeText() { return Next(Take<size_t>()); }
  std::shared_ptr<SharedRegion> TakeRegion() {
    const auto size_bytes = Take<int64_t>();
    if (size_bytes == kNoRegion) return nullptr;
    if (descriptors_.empty()) throw Error(ExitCode::kIo, "the system gave the job's process too few descriptors");
    const int fd = descriptors_.front();
    descriptors_ = descriptors_.subspan(1);
    return std::make_shared<SharedRegion>(fd, size_bytes);
  }

 private:
  std::string_view Next(size_t size) {
    if (size > left_.size()) throw Error(ExitCode::kBug, "a task's message ends too soon");
    const std::string_view bytes = left_.substr(0, size);
    left_.remove_prefix(size);
    return bytes;
  }

  std::string_view left_;
  std::span<const int> descriptors_;
};

// Pass writes a value to a BytePacker, or reads it from a ByteUnpacker, so both sides have one list of fields.
template <typename Wire, typename... Values>
void PassAll(Wire& wire, Values&... values) {
  (Pass(wire, values), ...);
}

template <Plain T>
void Pass(BytePacker& packer, const T& value) {
  packer.Put(value);
}
template <Plain T>
void Pass(ByteUnpacker& unpacker, T& value) {
  value = unpacker.Take<T>();
}

void Pass(BytePacker& packer, const std::string& text) { packer.PutText(text); }
void Pass(ByteUnpacker& unpacker, std::string& text) { text = unpacker.TakeText(); }

void Pass(BytePacker& packer, const Layout& layout) { packer.PutText(layout.empty() ? "" : layout.ToText()); }
void Pass(ByteUnpacker& unpacker, Layout& layout) {
  if (const std::string_view text = unpacker.TakeText(); !text.empty()) layout = Layout::Parse(text);
}

void Pass(BytePacker& packer, const Plan& plan) { packer.PutText(DumpJson(ToJson(plan))); }
void Pass(ByteUnpacker& unpacker, Plan& plan) { plan = PlanFromJson(ParseJson(unpacker.TakeText(), "the job's plan")); }

// A blob's bytes are in a region, so only its existence is sent.
void Pass(BytePacker& packer, const std::optional<Blob>& blob) { packer.Put(blob.has_value()); }
void Pass(ByteUnpacker& unpacker, std::optional<Blob>& blob) {
  if (unpacker.Take<bool>()) blob.emplace();
}

template <typename Region>
void Pass(BytePacker& packer, const std::shared_ptr<Region>& region) {
  packer.PutRegion(region.get());
}
template <typename Region>
void Pass(ByteUnpacker& unpacker, std::shared_ptr<Region>& region) {
  region = unpacker.TakeRegion();
}

template <typename T>
void Pass(BytePacker& packer, const std::vector<T>& values) {
  packer.Put(values.size());
  for (const T& value : values) Pass(packer, value);
}
template <typename T>
void Pass(ByteUnpacker& unpacker, std::vector<T>& values) {
  for (auto left = unpacker.Take<size_t>(); left > 0; --left) Pass(unpacker, values.emplace_back());
}

template <typename T, typename Type>
concept Some = std::same_as<std::remove_const_t<T>, Type>;

// A new field does not compile until it is named here.
void Pass(auto& wire, Some<KernelStage> auto& stage) {
  auto& [symbol, extent, grain, worker_workspace_bytes] = stage;
  PassAll(wire, symbol, extent, grain, worker_workspace_bytes);
}

void Pass(auto& wire, Some<KernelOperand> auto& operand) {
  auto& [role, dtype, shape, layout] = operand;
  PassAll(wire, role, dtype, shape, layout);
}

void Pass(auto& wire, Some<Artifact> auto& artifact) {
  auto& [elf, object_sha256, stages, operands, shared_workspace_bytes, required_features] = artifact;
  PassAll(wire, elf, object_sha256, stages, operands, shared_workspace_bytes, required_features);
}

// Leaves out the group, which the job's process does not need.
void Pass(auto& wire, Some<PackageJob> auto& job) {
  auto& [plan, lib, params, exact_params, inputs, wants_outputs, runs, timing, group] = job;
  PassAll(wire, plan, lib, params, exact_params, inputs, wants_outputs, runs, timing);
}

void PassRegions(auto& wire, Some<ChildTask> auto& task) {
  PassAll(wire, task.inputs, task.outputs, task.data.params, task.data.inputs);
}

}  // namespace

std::shared_ptr<SharedRegion> TaskMessage(const ChildTask& task) {
  BytePacker packer;
  packer.Put(task.package != nullptr);
  if (task.package != nullptr) {
    Pass(packer, *task.package);
  } else {
    Pass(packer, *task.artifact);
  }
  PassAll(packer, task.timing, task.pin);
  PassRegions(packer, task);
  auto region = std::make_shared<SharedRegion>(static_cast<int64_t>(packer.bytes().size()));
  std::memcpy(region->data(), packer.bytes().data(), packer.bytes().size());
  region->Seal();
  return region;
}

std::vector<int> TaskDescriptors(const ChildTask& task) {
  BytePacker packer;
  PassRegions(packer, task);
  return packer.descriptors();
}

ReceivedTask::ReceivedTask(const SharedRegion& message, std::span<const int> descriptors) {
  ByteUnpacker unpacker({message.data(), static_cast<size_t>(message.size_bytes())}, descriptors);
  if (unpacker.Take<bool>()) {
    Pass(unpacker, package_);
    task_.package = &package_;
  } else {
    Pass(unpacker, artifact_);
    task_.artifact = &artifact_;
  }
  PassAll(unpacker, task_.timing, task_.pin);
  PassRegions(unpacker, task_);
  task_.message_bytes = message.size_bytes();
  message.Unmap();
}

}  // namespace hone
