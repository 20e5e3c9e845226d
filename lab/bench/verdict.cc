#include "lab/bench/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stats/sample_statistics.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"

namespace hone {
namespace {

// Whether the ratio is within the spread of single rounds' ratios, as on cores that others take for many milliseconds
// at a time.
bool IsLost(const Verdict& v) { return std::abs(std::log(v.ratio)) < kLeastOfSpread * v.spread; }

Finding FindingOf(const Verdict& v) {
  if (!v.enough) return Finding::kCannotTell;
  const double more = 1 + v.smallest_effect;
  if (v.low > 1 && v.ratio >= more && !IsLost(v)) return Finding::kSlower;
  if (v.high < 1 && v.ratio <= 1 / more && !IsLost(v)) return Finding::kFaster;
  if (v.low > 1 / more && v.high < more) return Finding::kEquivalent;
  return Finding::kCannotTell;
}

// The shift is one of logarithms, so its exponential is a ratio.
Verdict VerdictOf(const Shift& shift, double p, std::string_view test, double smallest_effect, size_t rounds,
                  double spread) {
  Verdict v;
  v.ratio = std::exp(shift.value);
  v.low = std::exp(shift.low);
  v.high = std::exp(shift.high);
  v.p = p;
  v.test = test;
  v.smallest_effect = smallest_effect;
  v.rounds = static_cast<int>(rounds);
  v.spread = spread;
  v.enough = shift.bounded;
  v.finding = FindingOf(v);
  return v;
}

std::vector<double> Logarithms(const std::vector<int64_t>& times_ns) {
  std::vector<double> logarithms;
  for (const int64_t ns : times_ns) logarithms.push_back(std::log(static_cast<double>(std::max<int64_t>(ns, 1))));
  return logarithms;
}

double PercentMore(double ratio) { return 100 * (ratio - 1); }

}  // namespace

std::string_view FindingName(Finding finding) {
  switch (finding) {
    case Finding::kFaster:
      return "faster";
    case Finding::kSlower:
      return "slower";
    case Finding::kEquivalent:
      return "equivalent";
    case Finding::kCannotTell:
      break;
  }
  return "cannot tell";
}

Verdict JudgePairs(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                   double smallest_effect) {
  const std::vector<double> package = Logarithms(package_ns), against = Logarithms(against_ns);
  std::vector<double> differences;
  for (size_t i = 0; i < std::min(package.size(), against.size()); ++i) differences.push_back(package[i] - against[i]);
  return VerdictOf(ShiftOfPairs(differences, kConfidence), SignedRankP(differences), "signed-rank", smallest_effect,
                   differences.size(), StandardDeviation(differences));
}

Verdict JudgeSamples(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                     double smallest_effect) {
  return VerdictOf(ShiftOfSamples(Logarithms(against_ns), Logarithms(package_ns), kConfidence),
                   MannWhitney(package_ns, against_ns).p, "rank-sum", smallest_effect,
                   std::min(package_ns.size(), against_ns.size()), 0);
}

std::string VerdictText(const Verdict& v) {
  const std::string effect = fmt::format("{:.3g} %", 100 * v.smallest_effect);
  if (!v.enough) {
    return fmt::format("{} against {}: cannot tell from {}; at least {} are needed", v.package, v.against,
                       Counted(v.rounds, "round"), v.test == "signed-rank" ? kLeastPairs : kLeastSamples);
  }
  const std::string interval =
      fmt::format("99% interval {:+.2f} .. {:+.2f} %, p {:.2g}", PercentMore(v.low), PercentMore(v.high), v.p);
  const double more = PercentMore(v.ratio), less = -PercentMore(v.ratio);
  switch (v.finding) {
    case Finding::kSlower:
      return fmt::format("{} is slower than {}: {:.2f} % more time ({})", v.package, v.against, more, interval);
    case Finding::kFaster:
      return fmt::format("{} is faster than {}: {:.2f} % less time ({})", v.package, v.against, less, interval);
    case Finding::kEquivalent:
      return fmt::format("{} and {} are equivalent within {}: {:+.2f} % ({})", v.package, v.against, effect, more,
                         interval);
    case Finding::kCannotTell:
      break;
  }
  return fmt::format("cannot tell whether {} and {} differ by {}: {:+.2f} % ({})", v.package, v.against, effect, more,
                     interval);
}

Json ToJson(const Verdict& v) {
  return {{"package", v.package},
          {"against", v.against},
          {"verdict", FindingName(v.finding)},
          {"ratio", v.ratio},
          {"interval", Json::array({v.low, v.high})},
          {"confidence", kConfidence},
          {"p", v.p},
          {"test", v.test},
          {"smallest_effect", v.smallest_effect},
          {"rounds", v.rounds},
          {"text", VerdictText(v)}};
}

}  // namespace hone
