#include "rpc_runner/health/mapped_floats.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "core/error.h"

namespace hone {

MappedFloats::MappedFloats(int64_t bytes) : count_(bytes / static_cast<int64_t>(sizeof(float))) {
  constexpr size_t kLargePage = size_t{2} << 20;
  map_bytes_ = (static_cast<size_t>(bytes) + kLargePage - 1) / kLargePage * kLargePage + kLargePage;
  map_ = mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map_ == MAP_FAILED) throw Error(ExitCode::kIo, fmt::format("no memory for {} bytes to measure with", bytes));
  (void)madvise(map_, map_bytes_, MADV_HUGEPAGE);
  const auto address = reinterpret_cast<uintptr_t>(map_);
  data_ = reinterpret_cast<float*>((address + kLargePage - 1) / kLargePage * kLargePage);
  std::fill_n(data_, count_, 1.0F);
}

MappedFloats::~MappedFloats() { munmap(map_, map_bytes_); }

}  // namespace hone
