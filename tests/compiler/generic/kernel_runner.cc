#include "tests/compiler/generic/kernel_runner.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/ops/kernel.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/threads/thread_state.h"

namespace hone::testing {
namespace {

constexpr int64_t kGuardBytes = 256;
constexpr uint8_t kGuard = 0xa5;
constexpr int64_t kGapBytes = 72;  // between the images of an operand with gaps
constexpr int64_t kLineBytes = 64;

// A physical tensor with guard bytes around it.
struct Guarded {
  std::vector<uint8_t> bytes;
  int64_t size_bytes = 0;
  int64_t images = 1, stride_bytes = 0, before = 0;

  // The data begin `offset` bytes behind a cache line.
  Guarded(const Shape& physical, int64_t element_bytes, bool apart, int64_t offset)
      : size_bytes(ElementCount(physical) * element_bytes), images(physical.empty() ? 1 : physical[0]) {
    stride_bytes = (images > 0 ? size_bytes / images : 0) + (apart ? kGapBytes : 0);
    bytes.resize(static_cast<size_t>(stride_bytes * images + 2 * kGuardBytes + 2 * kLineBytes), kGuard);
    const auto first = reinterpret_cast<intptr_t>(bytes.data()) + kGuardBytes;
    before = kGuardBytes + (-first & (kLineBytes - 1)) + offset;
  }
  uint8_t* data() { return bytes.data() + before; }
  void Put(const Tensor& physical) {
    const auto* from = static_cast<const uint8_t*>(physical.raw());
    for (int64_t n = 0; n < images; ++n)
      std::memcpy(data() + n * stride_bytes, from + n * image_bytes(), image_bytes());
  }
  void Take(Tensor& physical) {
    auto* to = static_cast<uint8_t*>(physical.raw());
    for (int64_t n = 0; n < images; ++n) std::memcpy(to + n * image_bytes(), data() + n * stride_bytes, image_bytes());
  }
  bool intact() const {
    const auto clean = [](uint8_t byte) { return byte == kGuard; };
    bool all = std::all_of(bytes.begin(), bytes.begin() + before, clean);
    for (int64_t n = 0; n < images; ++n) {
      const auto image = bytes.begin() + before + n * stride_bytes;
      all = all && std::all_of(image + static_cast<int64_t>(image_bytes()), image + stride_bytes, clean);
    }
    return all && std::all_of(bytes.begin() + before + images * stride_bytes, bytes.end(), clean);
  }

 private:
  size_t image_bytes() const { return images > 0 ? static_cast<size_t>(size_bytes / images) : 0; }
};

Tensor Physical(const Tensor& logical, const Layout& layout) {
  return layout.empty() ? logical : Pack(logical, layout);
}

Shape PhysicalShapeOf(const KernelOperand& operand) {
  return operand.layout.empty() ? operand.shape : operand.layout.PhysicalShape(operand.shape);
}

void RunCut(hone_kernel_stage stage, const hone_kernel_args& args, int64_t extent, int cuts, Random& random) {
  std::vector<int64_t> at{0, extent};
  for (int i = 0; i < cuts; ++i) at.push_back(static_cast<int64_t>(random.Below(static_cast<uint64_t>(extent) + 1)));
  std::sort(at.begin(), at.end());
  std::vector<size_t> order(at.size() - 1);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  for (size_t i : order) EXPECT_EQ(stage(&args, at[i], at[i + 1]), 0);
}

}  // namespace

LoadedKernel::LoadedKernel(const std::string& elf) {
  const int file = memfd_create("kernel", MFD_CLOEXEC);
  const bool written = write(file, elf.data(), elf.size()) == static_cast<ssize_t>(elf.size());
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  handle_ = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  EXPECT_NE(handle_, nullptr) << dlerror();
  close(file);
}

LoadedKernel::~LoadedKernel() {
  if (handle_) dlclose(handle_);
}

hone_kernel_stage LoadedKernel::Find(const std::string& symbol) const {
  auto* found = reinterpret_cast<hone_kernel_stage>(dlsym(handle_, symbol.c_str()));
  EXPECT_NE(found, nullptr) << symbol;
  return found;
}

CompiledFunction::CompiledFunction(const relay::FunctionPtr& function, const Target& target)
    : function_(function), operands_(GenericOperands(*function)) {
  EXPECT_TRUE(IsGeneric(*function));
  KernelBuilder builder(target, MachineModelFor(target));
  kernel_ = EmitGeneric(builder, *function, "kernel");
  loaded_ = std::make_unique<LoadedKernel>(LinkShared({EmitObject(builder, target)}, target));
}

std::vector<Tensor> CompiledFunction::Run(const std::vector<Tensor>& args, int cuts, Random& random) const {
  std::vector<Guarded> memory;
  std::vector<void*> pointers;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Shape shape = PhysicalShapeOf(operands_[i]);
    const int64_t element_bytes = DTypeBytes(operands_[i].dtype);
    const auto offset = static_cast<int64_t>(random.Below(static_cast<uint64_t>(kLineBytes / element_bytes)));
    memory.emplace_back(shape, element_bytes, LiesApart(*function_, i), offset * element_bytes);
    strides.push_back(memory.back().stride_bytes);
    if (i < args.size()) memory.back().Put(Physical(args[i], operands_[i].layout));
  }
  for (auto& block : memory) pointers.push_back(block.data());
  Guarded shared({kernel_.shared_workspace_bytes}, 1, false, 0);
  for (const KernelStage& stage : kernel_.stages) {
    Guarded workspace({stage.worker_workspace_bytes}, 1, false, 0);
    const hone_kernel_args call{pointers.data(), strides.data(), shared.data(), workspace.data(), 0, 1};
    const DenormalsOff as_a_worker;
    RunCut(loaded_->Find(stage.symbol), call, stage.extent, cuts, random);
    EXPECT_TRUE(workspace.intact() && shared.intact()) << "wrote outside its workspaces";
  }
  std::vector<Tensor> results;
  for (size_t i = args.size(); i < operands_.size(); ++i) {
    EXPECT_TRUE(memory[i].intact()) << "wrote outside operand " << i;
    Tensor physical(operands_[i].dtype, PhysicalShapeOf(operands_[i]));
    memory[i].Take(physical);
    const Layout& layout = operands_[i].layout;
    results.push_back(layout.empty() ? physical : Unpack(physical, layout, operands_[i].shape));
    if (layout.empty()) continue;
    const Tensor again = Pack(results.back(), layout);
    EXPECT_EQ(std::memcmp(again.raw(), physical.raw(), static_cast<size_t>(physical.size_bytes())), 0)
        << "lanes past an axis are not zero";
  }
  return results;
}

}  // namespace hone::testing
