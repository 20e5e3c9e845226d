#include "rpc_runner/health/golden_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/parse_number.h"

namespace hone {
namespace {

constexpr int kVersion = 1;
// The samples are short, about 0.3 ms each on a core of 3.5 GHz, so that most fit between two interruptions.
constexpr int kLeastSamples = 4, kMostSamples = 9;
// Two least samples this close are not coincidence.
constexpr double kGoldenAgree = 1.002;
constexpr int64_t kGoldenTrips = 50'000;
constexpr int64_t kCacheBytes = int64_t{32} << 20;  // bytes read from the second-level cache in a sample
constexpr int64_t kGoldenSliceBytes = int64_t{4} << 20;
// A sleeping core takes a while to reach its clock frequency.
constexpr int64_t kWarmUpTrips = 4 * kGoldenTrips;
// The buffer exceeds the last-level cache by this factor, within bounds that a small board can spare.
constexpr int kMemoryFactor = 2;
constexpr int64_t kMostGoldenBytes = int64_t{64} << 20, kLeastGoldenBytes = int64_t{40} << 20;

// Keeps the compiler from removing the loops.
volatile float g_golden_sink = 0;

// "512K" in bytes; 0 if it is not a size.
int64_t ParseSize(std::string_view text) {
  if (text.size() < 2) return 0;
  const int64_t unit = text.back() == 'K' ? 1 << 10 : text.back() == 'M' ? 1 << 20 : 0;
  const int64_t size = ParseInteger(text.substr(0, text.size() - 1)).value_or(0);
  return size > 0 && size < (1 << 20) ? size * unit : 0;
}

std::string SizeText(int64_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{}M", bytes >> 20) : fmt::format("{}K", bytes >> 10);
}

int64_t RoundedUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

int64_t MemoryBytes(const CacheSizes& caches) {
  const int64_t wanted = std::clamp(kMemoryFactor * caches.last_bytes, kLeastGoldenBytes, kMostGoldenBytes);
  return RoundedUp(wanted, kGoldenSliceBytes);
}

// Uses a quarter of the cache, so that pages which fall into the same sets do not evict each other.
int64_t CacheBytes(const CacheSizes& caches) {
  return RoundedUp(caches.second_bytes / 4, VectorKernels::kReadStep * static_cast<int64_t>(sizeof(float)));
}

template <typename Work>
int64_t LeastOf(const std::function<int64_t()>& clock, const Work& work) {
  int64_t least = INT64_MAX, second = INT64_MAX;
  const auto agree = [&] { return static_cast<double>(second) <= kGoldenAgree * static_cast<double>(least); };
  for (int i = 0; i < kMostSamples && (i < kLeastSamples || !agree()); ++i) {
    const int64_t begin = clock();
    work();
    const int64_t time = clock() - begin;
    second = std::min(second, std::max(least, time));
    least = std::min(least, time);
  }
  return std::max<int64_t>(least, 1);
}

}  // namespace

CacheSizes ParseCaches(const std::string& caches) {
  std::vector<int64_t> sizes;
  for (size_t begin = 0; begin <= caches.size();) {
    const size_t end = std::min(caches.find(',', begin), caches.size());
    sizes.push_back(ParseSize(std::string_view(caches).substr(begin, end - begin)));
    begin = end + 1;
  }
  CacheSizes found;
  if (sizes.size() > 1 && sizes[1] > 0) found.second_bytes = sizes[1];
  found.last_bytes = std::max({found.last_bytes, found.second_bytes, sizes.back()});
  return found;
}

GoldenKernel::GoldenKernel(const VectorKernels& kernels, const CacheSizes& caches, std::vector<CoreGroup> groups,
                           std::function<int64_t()> clock)
    : kernels_(kernels),
      caches_(caches),
      groups_(std::move(groups)),
      clock_(std::move(clock)),
      name_(fmt::format("{}-{}-{}-{}", kVersion, kernels.name, SizeText(CacheBytes(caches)),
                        SizeText(MemoryBytes(caches)))),
      memory_(std::make_unique<MappedFloats>(MemoryBytes(caches))) {
  for (const CoreGroup& group : groups_) {
    const std::string of = group.kind.empty() ? "" : group.kind + " ";
    parts_.insert(parts_.end(), {{of + "arithmetic", true}, {of + "cache", false}, {of + "memory", false}});
  }
}

std::vector<int64_t> GoldenKernel::Run() {
  std::vector<int64_t> times;
  for (const CoreGroup& group : groups_) {
    RunOn(group.cpus, [&] { RunGroup(times); });
  }
  return times;
}

void GoldenKernel::RunGroup(std::vector<int64_t>& times) {
  std::vector<float> values(static_cast<size_t>(kernels_.chains * kernels_.lanes), 0.5F);
  kernels_.multiply_add(kWarmUpTrips, values.data());
  times.push_back(LeastOf(clock_, [&] { kernels_.multiply_add(kGoldenTrips, values.data()); }));
  // Allocates new pages in each run, because their placement in the cache's sets is part of the variation between runs.
  const MappedFloats near(CacheBytes(caches_));
  const int64_t passes = std::max<int64_t>(1, kCacheBytes / CacheBytes(caches_));
  float sum = kernels_.read(near.data(), near.count());
  times.push_back(LeastOf(clock_, [&] {
    for (int64_t pass = 0; pass < passes; ++pass) sum += kernels_.read(near.data(), near.count());
  }));
  constexpr int64_t kSlice = kGoldenSliceBytes / static_cast<int64_t>(sizeof(float));
  times.push_back(LeastOf(clock_, [&] {
    sum += kernels_.read(memory_->data() + next_, kSlice);
    next_ = (next_ + kSlice) % memory_->count();
  }));
  g_golden_sink = sum + values.front();
}

}  // namespace hone
