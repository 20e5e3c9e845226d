#include "lab/report/conclusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

constexpr size_t kNamedLayers = 2, kNamedDevices = 3;
constexpr double kMuchEstimated = 0.05;

bool Overlap(const ComparedTime& quicker, const ComparedTime& slower) {
  return std::max(quicker.ns, quicker.high_ns) >= (slower.low_ns > 0 ? slower.low_ns : slower.ns);
}

// Whether the ratio is of the whole model.
bool IsWhole(const Standing& standing) { return standing.ratio > 0 && !standing.partial(); }

// "left, right and 2 others".
std::string NamesText(std::vector<std::string> names) {
  if (names.size() > kNamedDevices + 1) {
    const size_t others = names.size() - kNamedDevices;
    names.resize(kNamedDevices);
    names.push_back(fmt::format("{} others", others));
  }
  if (names.size() < 2) return names.empty() ? "" : names[0];
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// One model's devices with the texts about them.
class Conclusions {
 public:
  Conclusions(const ComparisonReport& report, size_t model, const std::vector<size_t>& order)
      : c_(report.comparison), model_(model), standings_(StandingsOf(c_, model, report.accepted)), known_(order) {
    for (const size_t device : order) {
      if (!IsWhole(standings_[device])) continue;
      compared_.push_back(device);
      if (Price(device) > 0) priced_.push_back(device);
    }
    std::stable_sort(priced_.begin(), priced_.end(), [&](size_t a, size_t b) { return Price(a) < Price(b); });
  }

  Conclusion All() const {
    if (known_.empty()) {
      const std::string none = "No device has a time for this model.";
      return {none, none, none, none, none};
    }
    return {Summary(), Fastest(), Cheapest(), Why(), Unsure()};
  }

 private:
  std::string Name(size_t device) const { return ShortName(c_, device); }
  const ComparedTime& Time(size_t device) const { return c_.At(device, model_).time; }
  double Price(size_t device) const { return PriceOfMillion(c_, device, model_); }
  double Ratio() const { return standings_[compared_[1]].ratio / standings_[compared_[0]].ratio; }
  bool Sure() const { return !Overlap(Time(compared_[0]), Time(compared_[1])); }

  std::vector<std::string> NotCompared() const {
    std::vector<std::string> names;
    for (const size_t device : known_) {
      if (!IsWhole(standings_[device])) names.push_back(Name(device));
    }
    return names;
  }

  std::string Summary() const {
    std::string text;
    if (compared_.size() < 2) {
      const size_t only = compared_.empty() ? known_[0] : compared_[0];
      text = fmt::format("{} takes {} a run, and no other machine is comparable with it", Name(only),
                         TimeText(Time(only).ns));
    } else if (Sure()) {
      text = fmt::format("{} is the fastest: {} a run, {:.2f}x as fast as {}, which is sure", Name(compared_[0]),
                         TimeText(Time(compared_[0]).ns), Ratio(), Name(compared_[1]));
    } else {
      text = fmt::format("{} ({}) and {} ({}) cannot be told apart: their intervals overlap", Name(compared_[0]),
                         TimeText(Time(compared_[0]).ns), Name(compared_[1]), TimeText(Time(compared_[1]).ns));
    }
    if (!priced_.empty()) {
      const bool is_fastest = compared_.size() > 1 && Sure() && priced_[0] == compared_[0];
      text += fmt::format("; {} is the cheapest{}, {} for a million inferences", is_fastest ? "it" : Name(priced_[0]),
                          is_fastest ? ", too" : "", MoneyText(Price(priced_[0])));
    }
    const std::vector<std::string> left_out = NotCompared();
    if (!compared_.empty() && !left_out.empty()) {
      text += fmt::format("; {} {} not comparable", NamesText(left_out), left_out.size() == 1 ? "was" : "were");
    }
    return text + ".";
  }

  std::string TimeAndInterval(size_t device) const {
    const ComparedTime& time = Time(device);
    return fmt::format("{} takes {} ({} to {})", Name(device), TimeText(time.ns), TimeText(time.low_ns),
                       TimeText(time.high_ns));
  }

  std::string Fastest() const {
    if (compared_.size() < 2) return TimeAndInterval(compared_.empty() ? known_[0] : compared_[0]) + ".";
    std::string text = fmt::format("{}, {}. ", TimeAndInterval(compared_[0]), TimeAndInterval(compared_[1]));
    return text + (Sure() ? fmt::format("The intervals do not overlap, so {:.2f}x is sure.", Ratio())
                          : "The intervals overlap, so more samples are needed.");
  }

  std::string Cheapest() const {
    if (priced_.empty()) return "Not known, because no prices were given: --price KEY=0.17/h gives one.";
    std::string text = fmt::format("{} costs {} for a million inferences at {:g} an hour", Name(priced_[0]),
                                   MoneyText(Price(priced_[0])), c_.devices[priced_[0]].price_per_hour);
    if (priced_.size() > 1) {
      text += fmt::format(", {} {} ({:.2f}x)", Name(priced_[1]), MoneyText(Price(priced_[1])),
                          Price(priced_[1]) / Price(priced_[0]));
    }
    const size_t unpriced = compared_.size() - priced_.size();
    return text + (unpriced > 0 ? fmt::format(". {} of {} machines have no price.", unpriced, compared_.size()) : ".");
  }

  std::string ShareOf(size_t device) const {
    const ComparedDevice& d = c_.devices[device];
    const ComparedCell& cell = c_.At(device, model_);
    return fmt::format("{} reaches {} of {:.0f} GFLOP/s", Name(device),
                       ShareText(FmaShare(d.roofs, cell.flops, cell.time.ns)), d.roofs.gflops);
  }

  std::string Why() const {
    std::vector<std::string> sentences, shares;
    const std::vector<size_t>& shown = compared_.empty() ? known_ : compared_;
    double most = 0;
    for (size_t i = 0; i < std::min<size_t>(2, shown.size()); ++i) {
      const double share = FmaShare(c_.devices[shown[i]].roofs, c_.At(shown[i], model_).flops, Time(shown[i]).ns);
      most = std::max(most, share);
      if (share > 0) shares.push_back(ShareOf(shown[i]));
    }
    if (!shares.empty()) sentences.push_back(fmt::format("{}.", fmt::join(shares, ", ")));
    if (most > 1)
      sentences.push_back("More than 100 % come of Winograd's kernels, which multiply less than is counted.");
    if (compared_.size() > 1) sentences.push_back(LayersText());
    std::erase(sentences, "");
    return sentences.empty() ? "Not known: no layer was timed by itself."
                             : fmt::format("{}", fmt::join(sentences, " "));
  }

  // The layers that make most of the difference between the two fastest machines.
  std::string LayersText() const {
    const Difference difference = ExplainDifference(c_, model_, compared_[0], compared_[1]);
    if (difference.total_ns <= 0) return "";
    std::vector<std::string> names;
    int64_t covered_ns = 0;
    for (const LayerDifference& layer : difference.layers) {
      if (names.size() == kNamedLayers || layer.difference_ns() <= 0) break;
      covered_ns += layer.difference_ns();
      names.push_back(layer.nodes.empty() ? ShortWorkload(layer.name) : layer.nodes.front());
    }
    const double share = static_cast<double>(covered_ns) / static_cast<double>(difference.total_ns);
    if (names.empty() || share > 1) return "";
    return fmt::format("{} make{} {:.0f} % of the difference.", NamesText(names), names.size() == 1 ? "s" : "",
                       100 * share);
  }

  std::string Unsure() const {
    std::vector<std::string> doubts;
    if (compared_.size() > 1 && !Sure()) doubts.push_back("the intervals of the two fastest overlap");
    for (const size_t device : known_) {
      const ComparedCell& cell = c_.At(device, model_);
      const std::string note = StandingText(c_, device, model_, standings_[device]);
      if (!note.empty()) doubts.push_back(fmt::format("{}: {}", Name(device), note));
      const double estimated = static_cast<double>(cell.estimated_ns) / static_cast<double>(cell.time.ns);
      if (estimated > kMuchEstimated) {
        doubts.push_back(fmt::format("{:.0f} % of {}'s time is estimated from bytes", 100 * estimated, Name(device)));
      }
      const MachineRoofs& roofs = c_.devices[device].roofs;
      if (roofs.gflops > 0 && !roofs.measured) doubts.push_back(fmt::format("{}'s roofs are assumed", Name(device)));
    }
    if (doubts.empty()) return "Nothing that is known: all times are whole, quiet and comparable.";
    std::string text = fmt::format("{}.", fmt::join(doubts, "; "));
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }

  const Comparison& c_;
  size_t model_;
  std::vector<Standing> standings_;
  std::vector<size_t> known_, compared_;  // quickest first
  std::vector<size_t> priced_;            // of the compared ones, cheapest first
};

}  // namespace

Conclusion ConclusionOf(const ComparisonReport& report, size_t model, const std::vector<size_t>& order) {
  return Conclusions(report, model, order).All();
}

double PriceOfMillion(const Comparison& c, size_t device, size_t model) {
  const ComparedCell& cell = c.At(device, model);
  if (cell.covered < cell.tasks) return 0;
  const double images = ImagesPerMoney(c.devices[device], c.models[model], cell);
  return images > 0 ? 1e6 / images : 0;
}

std::string MoneyText(double money) {
  if (money <= 0) return "-";
  return money >= 100 ? fmt::format("{:.0f}", money) : fmt::format("{:#.3g}", money);
}

std::string VerdictOf(const ComparisonReport& report, size_t model, const std::vector<size_t>& order, size_t device) {
  const Comparison& c = report.comparison;
  const Standing standing = StandingsOf(c, model, report.accepted)[device];
  if (standing.ratio <= 0) return "not compared";
  if (standing.partial()) return "incomplete";
  if (device == order.front()) return order.size() > 1 ? "fastest" : "alone";
  return Overlap(c.At(order.front(), model).time, c.At(device, model).time) ? "cannot tell" : "slower";
}

std::string ShortWorkload(const std::string& workload) {
  constexpr int kWords = 3;
  size_t end = 0;
  for (int words = 0; words < kWords && end != std::string::npos; ++words) end = workload.find(' ', end + 1);
  return workload.substr(0, end);
}

std::string LayerNodes(const ComparedLayer& layer) {
  if (layer.nodes.empty()) return layer.has_knobs ? ShortWorkload(layer.name) : layer.op;
  return fmt::format("{}", fmt::join(layer.nodes, " + "));
}

}  // namespace hone
