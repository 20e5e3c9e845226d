#include "rpc_runner/health/vector_kernels.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

template <int kBytes>
struct VectorOf {
  typedef float Type __attribute__((vector_size(kBytes)));
};

// Vectors stay inside this function, because their calling convention differs between the functions that inline it.
template <int kBytes, int kChains>
[[gnu::always_inline]] inline void MultiplyAdd(int64_t trips, float* values) {
  using Vector = typename VectorOf<kBytes>::Type;
  Vector sums[kChains];
  std::memcpy(sums, values, sizeof(sums));
  const Vector factor = sums[0];
  for (int64_t trip = 0; trip < trips; ++trip) {
#pragma GCC unroll 4
    for (int i = 0; i < VectorKernels::kMultiplyAdds; ++i) {
#pragma GCC unroll 32
      for (Vector& sum : sums) sum = sum * factor + factor;
    }
  }
  std::memcpy(values, sums, sizeof(sums));
}

template <int kBytes>
[[gnu::always_inline]] inline float Read(const float* data, int64_t count) {
  using Vector = typename VectorOf<kBytes>::Type;
  constexpr int kSums = 8, kLanes = kBytes / 4;
  Vector sums[kSums] = {};
  for (int64_t at = 0; at < count; at += kSums * kLanes) {
#pragma GCC unroll 8
    for (int i = 0; i < kSums; ++i) {
      Vector values;
      std::memcpy(&values, data + at + i * kLanes, kBytes);
      sums[i] += values;
    }
  }
  float all = 0;
  for (const Vector& sum : sums) {
    for (int lane = 0; lane < kLanes; ++lane) all += sum[lane];
  }
  return all;
}

#if defined(__x86_64__)

bool Has(std::string_view features, std::string_view feature) {
  while (!features.empty()) {
    const size_t end = std::min(features.find(' '), features.size());
    if (features.substr(0, end) == feature) return true;
    features.remove_prefix(std::min(end + 1, features.size()));
  }
  return false;
}

[[gnu::target("avx512f")]] void MultiplyAddAvx512(int64_t trips, float* values) { MultiplyAdd<64, 24>(trips, values); }
[[gnu::target("avx512f")]] float ReadAvx512(const float* data, int64_t count) { return Read<64>(data, count); }
[[gnu::target("avx2,fma")]] void MultiplyAddAvx2(int64_t trips, float* values) { MultiplyAdd<32, 12>(trips, values); }
[[gnu::target("avx2,fma")]] float ReadAvx2(const float* data, int64_t count) { return Read<32>(data, count); }
void MultiplyAddSse(int64_t trips, float* values) { MultiplyAdd<16, 12>(trips, values); }
float ReadSse(const float* data, int64_t count) { return Read<16>(data, count); }

#else

constexpr int kChains = 24;
void MultiplyAddPlain(int64_t trips, float* values) { MultiplyAdd<16, kChains>(trips, values); }
float ReadPlain(const float* data, int64_t count) { return Read<16>(data, count); }

#endif

}  // namespace

#if defined(__x86_64__)

VectorKernels KernelsFor(std::string_view features) {
  if (Has(features, "avx512f")) return {"avx512", 16, 24, MultiplyAddAvx512, ReadAvx512};
  if (Has(features, "avx2") && Has(features, "fma")) return {"avx2", 8, 12, MultiplyAddAvx2, ReadAvx2};
  return {"sse", 4, 12, MultiplyAddSse, ReadSse};
}

#elif defined(__aarch64__)

VectorKernels KernelsFor(std::string_view) { return {"neon", 4, kChains, MultiplyAddPlain, ReadPlain}; }

#else

VectorKernels KernelsFor(std::string_view) { return {"generic", 4, kChains, MultiplyAddPlain, ReadPlain}; }

#endif

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
