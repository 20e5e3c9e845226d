#include "rpc_runner/executor/task_message.h"

#include <string_view>

#include "core/error.h"
#include "rpc_runner/executor/memory/packed_job.h"

namespace hone {
namespace {

constexpr int64_t kNoRegion = -1;  // in place of a size

int64_t SizeOrNoRegion(const std::shared_ptr<const SharedRegion>& region) {
  return region == nullptr ? kNoRegion : region->size_bytes();
}

template <typename Region>
void PackSizes(const std::vector<std::shared_ptr<Region>>& regions, BytePacker& packer) {
  packer.Put(regions.size());
  for (const auto& region : regions) packer.Put(region->size_bytes());
}

void PackRegions(const ChildTask& task, BytePacker& packer) {
  packer.Put(task.inputs.size());
  for (const auto& inputs : task.inputs) PackSizes(inputs, packer);
  PackSizes(task.outputs, packer);
  packer.Put(SizeOrNoRegion(task.data.params));
  packer.Put(SizeOrNoRegion(task.data.inputs));
}

// Pairs sizes with descriptors, in order.
class Regions {
 public:
  Regions(ByteUnpacker& unpacker, std::span<const int> descriptors) : unpacker_(unpacker), left_(descriptors) {}

  std::shared_ptr<SharedRegion> Next() {
    const auto size_bytes = unpacker_.Take<int64_t>();
    if (size_bytes == kNoRegion) return nullptr;
    if (left_.empty()) throw Error(ExitCode::kIo, "the system gave the job's process too few descriptors");
    const int fd = left_.front();
    left_ = left_.subspan(1);
    return std::make_shared<SharedRegion>(fd, size_bytes);
  }

  template <typename Region>
  std::vector<std::shared_ptr<Region>> NextList() {
    std::vector<std::shared_ptr<Region>> list;
    for (auto left = unpacker_.Take<size_t>(); left > 0; --left) list.push_back(Next());
    return list;
  }

 private:
  ByteUnpacker& unpacker_;
  std::span<const int> left_;
};

}  // namespace

std::shared_ptr<SharedRegion> TaskMessage(const ChildTask& task) {
  BytePacker packer;
  packer.Put(task.package != nullptr);
  if (task.package != nullptr) {
    PackPackage(*task.package, packer);
  } else {
    PackArtifact(*task.artifact, packer);
  }
  packer.Put(task.timing);
  packer.Put(task.pin);
  PackRegions(task, packer);
  auto region = std::make_shared<SharedRegion>(static_cast<int64_t>(packer.bytes().size()));
  std::memcpy(region->data(), packer.bytes().data(), packer.bytes().size());
  region->Seal();
  return region;
}

std::vector<int> TaskDescriptors(const ChildTask& task) {
  std::vector<int> descriptors;
  for (const auto& inputs : task.inputs) {
    for (const auto& region : inputs) descriptors.push_back(region->fd());
  }
  for (const auto& region : task.outputs) descriptors.push_back(region->fd());
  for (const auto& region : {task.data.params, task.data.inputs}) {
    if (region != nullptr) descriptors.push_back(region->fd());
  }
  return descriptors;
}

ReceivedTask::ReceivedTask(const SharedRegion& message, std::span<const int> descriptors) {
  ByteUnpacker unpacker({message.data(), static_cast<size_t>(message.size_bytes())});
  TakeJob(unpacker);
  task_.timing = unpacker.Take<TimingPolicy>();
  task_.pin = unpacker.Take<bool>();
  task_.message_bytes = message.size_bytes();
  Regions regions(unpacker, descriptors);
  for (auto left = unpacker.Take<size_t>(); left > 0; --left) {
    task_.inputs.push_back(regions.NextList<const SharedRegion>());
  }
  task_.outputs = regions.NextList<SharedRegion>();
  task_.data.params = regions.Next();
  task_.data.inputs = regions.Next();
  message.Unmap();
}

void ReceivedTask::TakeJob(ByteUnpacker& unpacker) {
  if (unpacker.Take<bool>()) {
    package_ = UnpackPackage(unpacker);
    task_.package = &package_;
  } else {
    artifact_ = UnpackArtifact(unpacker);
    task_.artifact = &artifact_;
  }
}

}  // namespace hone
