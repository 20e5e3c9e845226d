#include "lab/bench/timed_package.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/nth.h"
#include "core/stats/statistics.h"
#include "lab/files/read_file.h"

namespace hone {

Round RoundOf(const std::vector<int64_t>& samples_ns, int64_t runs, int64_t cpu_ns, int64_t wall_ns) {
  const Statistics s = StatisticsOf(samples_ns);
  Round round{s.p10_ns, s.median_ns, runs};
  round.cpu_ns = runs > 0 ? cpu_ns / runs : 0;
  round.runs_per_second = 1e9 * static_cast<double>(runs) / static_cast<double>(std::max<int64_t>(wall_ns, 1));
  return round;
}

std::vector<int64_t> RoundTimes(const TimedPackage& timed, bool throughput) {
  std::vector<int64_t> times_ns;
  for (const Round& round : timed.rounds)
    times_ns.push_back(throughput ? std::llround(1e9 / round.runs_per_second) : round.p10_ns);
  return times_ns;
}

namespace {

constexpr size_t kPage = 4096, kMostPages = 64;

}  // namespace

LoadedAnew::LoadedAnew(const std::string& path, const InputOptions& inputs)
    : path_(path),
      bytes_(ReadFile(path)),
      shapes_(ShapesAsked(inputs, path)),
      first_(Package::FromBytes(bytes_, path, shapes_)),
      inputs_(MakeInputs(InputSpecs(*first_), inputs)) {}

std::shared_ptr<const Package> LoadedAnew::Load() const { return Package::FromBytes(bytes_, path_, shapes_); }

std::unique_ptr<Session> LoadedAnew::Start(const std::shared_ptr<const Package>& package,
                                           const SessionOptions& options) const {
  auto session = std::make_unique<Session>(package, options);
  for (const auto& [name, tensor] : inputs_) session->SetInput(name, tensor);
  session->HoldState(true);
  return session;
}

MappedBytes TakeGap(Random& random) {
  MappedBytes gap = MappedBytes::Zeros(kPage * (1 + random.Below(kMostPages)));
  for (size_t at = 0; at < gap.size(); at += kPage) gap.data()[at] = 1;
  return gap;
}

namespace {

constexpr double kStillFalling = 0.98;

}  // namespace

void WarmUp::Add(int64_t run_ns, int64_t runs) {
  Nth(last_, runs_ % (2 * kWindow)) = run_ns;
  least_run_ns_ = runs_ == 0 ? run_ns : std::min(least_run_ns_, run_ns);
  ++runs_;
  spent_ns_ += run_ns * runs;
}

bool WarmUp::settled() const {
  if (spent_ns_ < least_ns_ || runs_ < 2 * kWindow) return false;
  int64_t before = std::numeric_limits<int64_t>::max(), now = before;
  for (int64_t back = 1; back <= 2 * kWindow; ++back) {
    int64_t& least = back <= kWindow ? now : before;
    least = std::min(least, Nth(last_, (runs_ - back) % (2 * kWindow)));
  }
  return static_cast<double>(now) >= kStillFalling * static_cast<double>(before);
}

}  // namespace hone
