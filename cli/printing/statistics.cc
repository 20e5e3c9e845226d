#include "cli/printing/statistics.h"

#include <algorithm>
#include <utility>

#include "core/median_interval.h"
#include "core/random.h"

namespace hone {
namespace {

constexpr int kResamples = 1000;

size_t Rank(double share, size_t n) {
  return std::min(n - 1, static_cast<size_t>(share * static_cast<double>(n - 1) + 0.5));
}

int64_t P10(std::vector<int64_t>& samples) {
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(Rank(0.1, samples.size()));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

int64_t ResampledP10(const std::vector<int64_t>& samples, std::vector<int64_t>& scratch, Random& random) {
  scratch.resize(samples.size());
  for (int64_t& s : scratch) s = samples[random.Below(samples.size())];
  return P10(scratch);
}

double Divide(int64_t a, int64_t b) { return static_cast<double>(a) / static_cast<double>(std::max<int64_t>(b, 1)); }

}  // namespace

Statistics StatisticsOf(std::vector<int64_t> samples_ns) {
  Statistics s;
  if (samples_ns.empty()) return s;
  std::sort(samples_ns.begin(), samples_ns.end());
  const size_t n = samples_ns.size();
  s.min_ns = samples_ns.front();
  s.p10_ns = samples_ns[Rank(0.1, n)];
  s.p90_ns = samples_ns[Rank(0.9, n)];
  const MedianInterval median = MedianOf(std::move(samples_ns));
  s.median_ns = median.median;
  s.median_low_ns = median.low;
  s.median_high_ns = median.high;
  return s;
}

Ratio RatioOfP10(const std::vector<int64_t>& a, const std::vector<int64_t>& b, uint64_t seed) {
  std::vector<int64_t> scratch_a = a, scratch_b = b;
  Ratio ratio;
  ratio.value = Divide(P10(scratch_a), P10(scratch_b));
  Random random(seed);
  std::vector<double> ratios(kResamples);
  for (double& r : ratios) {
    const int64_t p10_a = ResampledP10(a, scratch_a, random);
    r = Divide(p10_a, ResampledP10(b, scratch_b, random));
  }
  std::sort(ratios.begin(), ratios.end());
  ratio.low = ratios[Rank(0.025, ratios.size())];
  ratio.high = ratios[Rank(0.975, ratios.size())];
  return ratio;
}

Json MedianJson(const MedianInterval& m) {
  return {{"median_ns", m.median}, {"ci95_ns", Json::array({m.low, m.high})}};
}

}  // namespace hone
