#include "rpc_runner/health/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <future>
#include <memory>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/text/parse_number.h"
#include "rpc_runner/health/vector_kernels.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

// The samples are many and short, because all threads must be undisturbed in at least one.
constexpr int kArithmeticSamples = 60, kReadSamples = 32;
constexpr int64_t kRoofTrips = 12'500;
// The time limit for one kind of samples: on a busy machine threads wait long for each other.
constexpr int64_t kRoofBudgetNs = 150'000'000;
constexpr int64_t kRoofSliceBytes = int64_t{4} << 20;
constexpr int64_t kMostReadBytes = int64_t{64} << 20, kLeastReadBytes = int64_t{8} << 20,
                  kAllReadBytes = int64_t{512} << 20;
constexpr size_t kMostRoofs = 64;

// Keeps the compiler from removing the loops.
std::atomic<float> g_roof_sink = 0;

// The least time in which all `cpus` do `work` side by side, or fewer of them if the system gives fewer threads. All
// threads begin together, and a sample ends with the last of them.
template <typename MakeWork>
int64_t LeastNs(const std::vector<std::vector<int>>& cpus, int samples, const MakeWork& make_work) {
  const int64_t until_ns = MonotonicNs() + kRoofBudgetNs;
  bool is_over = false;  // written while all threads wait
  int begun = 0;
  const auto go_on = [&]() noexcept { is_over = begun++ > 0 && (begun > samples || MonotonicNs() > until_ns); };
  std::barrier ready(static_cast<std::ptrdiff_t>(cpus.size()), go_on);
  std::vector<std::vector<int64_t>> begin(cpus.size()), end(cpus.size());
  // A thread that has no memory to work on leaves the barrier, so that the others go on without it.
  const auto make = [&] {
    try {
      return make_work();
    } catch (...) {
      ready.arrive_and_drop();
      throw;
    }
  };
  const auto run = [&](size_t thread) {
    const PinnedThread pin(cpus[thread]);
    auto work = make();
    for (;;) {
      ready.arrive_and_wait();
      if (is_over) return;
      begin[thread].push_back(MonotonicNs());
      work();
      end[thread].push_back(MonotonicNs());
    }
  };
  std::vector<std::future<void>> helpers;
  try {
    while (helpers.size() + 1 < cpus.size()) {
      helpers.push_back(std::async(std::launch::async, run, helpers.size() + 1));
    }
  } catch (const std::system_error&) {
    for (size_t i = helpers.size() + 1; i < cpus.size(); ++i) ready.arrive_and_drop();
  }
  RunOn(cpus[0], [&] { run(0); });
  for (std::future<void>& helper : helpers) helper.get();
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < begin.front().size(); ++i) {
    int64_t first = INT64_MAX, last = 0;
    for (size_t thread = 0; thread <= helpers.size(); ++thread) {
      first = std::min(first, begin[thread][i]);
      last = std::max(last, end[thread][i]);
    }
    least = std::min(least, last - first);
  }
  return std::max<int64_t>(least, 1);
}

Roof Measure(const VectorKernels& kernels, const CacheSizes& caches, const std::vector<std::vector<int>>& cpus) {
  const auto threads = static_cast<int64_t>(cpus.size());
  const int64_t wanted =
      std::clamp(std::min(2 * caches.last_bytes, kAllReadBytes / threads), kLeastReadBytes, kMostReadBytes);
  const int64_t bytes = wanted / kRoofSliceBytes * kRoofSliceBytes;
  const int64_t arithmetic_ns = LeastNs(cpus, kArithmeticSamples, [&] {
    auto values = std::make_shared<std::vector<float>>(kernels.chains * kernels.lanes, 0.5F);
    return [&kernels, values] {
      kernels.multiply_add(kRoofTrips, values->data());
      g_roof_sink.store(values->front(), std::memory_order_relaxed);
    };
  });
  const int64_t read_ns = LeastNs(cpus, kReadSamples, [&] {
    auto memory = std::make_shared<MappedFloats>(bytes);
    constexpr int64_t kSlice = kRoofSliceBytes / static_cast<int64_t>(sizeof(float));
    return [&kernels, memory, next = int64_t{0}]() mutable {
      g_roof_sink.store(kernels.read(memory->data() + next, kSlice), std::memory_order_relaxed);
      next = (next + kSlice) % memory->count();
    };
  });
  Roof roof;
  roof.threads = static_cast<int>(threads);
  roof.gflops =
      static_cast<double>(threads * kRoofTrips * kernels.flops_per_trip()) / static_cast<double>(arithmetic_ns);
  roof.read_gbps = static_cast<double>(threads * kRoofSliceBytes) / static_cast<double>(read_ns);
  return roof;
}

// Parses "[KIND] [N threads] G GFLOP/s, B GB/s" from its end.
std::optional<Roof> ParseRoof(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  const size_t count = words.size();
  if (count < 4 || words[count - 3] != "GFLOP/s," || words[count - 1] != "GB/s") return std::nullopt;
  const std::optional<float> gflops = ParseFloat(words[count - 4]), read_gbps = ParseFloat(words[count - 2]);
  if (!gflops || !read_gbps || *gflops < 0 || *read_gbps < 0) return std::nullopt;
  size_t before = count - 4;
  int64_t threads = 1;
  if (before >= 2 && words[before - 1] == "threads") {
    threads = ParseInteger(words[before - 2]).value_or(0);
    before -= 2;
  }
  if (before > 1 || threads < 1 || threads > INT32_MAX) return std::nullopt;
  return Roof{std::string(before == 1 ? words[0] : ""), static_cast<int>(threads), *gflops, *read_gbps};
}

}  // namespace

std::vector<Roof> MeasureRoofs(const VectorKernels& kernels, const CacheSizes& caches,
                               const std::vector<CoreGroup>& groups, int threads) {
  std::vector<Roof> roofs;
  std::vector<std::vector<int>> all;
  for (const CoreGroup& group : groups) {
    roofs.push_back(Measure(kernels, caches, {group.cpus}));
    roofs.back().cores = group.kind;
    for (int cpu : group.cpus) all.push_back({cpu});
  }
  if (threads > 0 && static_cast<size_t>(threads) < all.size()) all.resize(static_cast<size_t>(threads));
  if (all.size() > 1) roofs.push_back(Measure(kernels, caches, all));
  return roofs;
}

Json ToJson(const std::vector<Roof>& roofs) {
  Json json = Json::array();
  for (const Roof& roof : roofs) {
    json.push_back(
        {{"cores", roof.cores}, {"threads", roof.threads}, {"gflops", roof.gflops}, {"read_gbps", roof.read_gbps}});
  }
  return json;
}

std::vector<Roof> RoofsFromJson(const Json& json) {
  if (!json.is_array() || json.size() > kMostRoofs) {
    throw Error(ExitCode::kBadData, fmt::format("roofs are a list of at most {}", kMostRoofs));
  }
  std::vector<Roof> roofs;
  for (const Json& row : json) {
    roofs.push_back({TextField(row, "cores"), IntField(row, "threads", 1), NumberField(row, "gflops"),
                     NumberField(row, "read_gbps")});
  }
  return roofs;
}

std::string RoofsText(const std::vector<Roof>& roofs) {
  std::string text;
  for (const Roof& roof : roofs) {
    if (!text.empty()) text += "; ";
    if (!roof.cores.empty()) text += roof.cores + " ";
    if (roof.threads > 1) text += fmt::format("{} threads ", roof.threads);
    text += fmt::format("{:.1f} GFLOP/s, {:.1f} GB/s", roof.gflops, roof.read_gbps);
  }
  return text;
}

std::vector<Roof> ParseRoofsText(std::string_view text) {
  std::vector<Roof> roofs;
  for (const std::string_view part : Split(text, ';')) {
    if (const std::optional<Roof> roof = ParseRoof(part)) roofs.push_back(*roof);
  }
  return roofs;
}

}  // namespace hone
