#include "lab/report/conclusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "core/text/printable.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

constexpr size_t kNamedLayers = 2, kNamedDevices = 3;
constexpr double kMuchEstimated = 0.05;
constexpr double kMuchMore = 1.1;  // of one machine's limit beside another's
constexpr double kWide = 1.5;      // upper end of an interval beside the time

bool Overlap(const ComparedTime& quicker, const ComparedTime& slower) {
  return std::max(quicker.ns, quicker.high_ns) >= (slower.low_ns > 0 ? slower.low_ns : slower.ns);
}

// "left, right and 2 others".
std::string NamesText(std::vector<std::string> names) {
  if (names.size() > kNamedDevices + 1) {
    const size_t others = names.size() - kNamedDevices;
    names.resize(kNamedDevices);
    names.push_back(Counted(others, "other"));
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
      if (!standings_[device].whole()) continue;
      compared_.push_back(device);
      if (Price(device) > 0) priced_.push_back(device);
    }
    std::stable_sort(priced_.begin(), priced_.end(), [&](size_t a, size_t b) { return Price(a) < Price(b); });
  }

  Conclusion All() const {
    if (known_.empty()) {
      return {"No device has a time for this model: `hone tune MODEL` measures it.", {}, {}, {}, {}};
    }
    return {Summary(), Fastest(), Cheapest(), Why(), Unsure()};
  }

 private:
  std::string Name(size_t device) const { return ShortName(c_, device); }
  const ComparedTime& Time(size_t device) const { return c_.At(device, model_).time; }
  double Price(size_t device) const { return PriceOfMillion(c_, device, model_); }
  double Ratio() const { return standings_[compared_[1]].ratio / standings_[compared_[0]].ratio; }
  bool Sure() const { return Rivals().size() == 1; }

  // The quickest device, and those that may be as quick: their intervals overlap its own.
  std::vector<size_t> Rivals() const {
    std::vector<size_t> rivals = {compared_[0]};
    for (size_t i = 1; i < compared_.size(); ++i) {
      if (Overlap(Time(compared_[0]), Time(compared_[i]))) rivals.push_back(compared_[i]);
    }
    return rivals;
  }

  // Those that may be as cheap as the cheapest: prices are as uncertain as the times are.
  std::vector<size_t> PriceRivals() const {
    const auto price_of = [this](size_t device, int64_t ns) {
      return Price(device) * static_cast<double>(ns) / static_cast<double>(Time(device).ns);
    };
    const size_t first = priced_[0];
    const double most = price_of(first, std::max(Time(first).ns, Time(first).high_ns));
    std::vector<size_t> rivals = {first};
    for (size_t i = 1; i < priced_.size(); ++i) {
      const ComparedTime& time = Time(priced_[i]);
      if (most >= price_of(priced_[i], time.low_ns > 0 ? time.low_ns : time.ns)) rivals.push_back(priced_[i]);
    }
    return rivals;
  }

  std::string NamesWith(const std::vector<size_t>& devices, const std::function<std::string(size_t)>& text) const {
    std::vector<std::string> names;
    for (const size_t device : devices) names.push_back(fmt::format("{} ({})", Name(device), text(device)));
    return NamesText(names);
  }

  std::vector<std::string> NotCompared() const {
    std::vector<std::string> names;
    for (const size_t device : known_) {
      if (!standings_[device].whole()) names.push_back(Name(device));
    }
    return names;
  }

  // Devices that take less than the fastest one, with all layers, but cannot be compared with it.
  std::vector<size_t> Quicker() const {
    std::vector<size_t> quicker;
    for (const size_t device : known_) {
      const ComparedCell& cell = c_.At(device, model_);
      const bool apart = !standings_[device].whole() && cell.covered == cell.tasks;
      if (apart && !compared_.empty() && cell.time.ns < Time(compared_[0]).ns) quicker.push_back(device);
    }
    return quicker;
  }

  std::string Winner() const {
    if (compared_.size() < 2) {
      const size_t only = compared_.empty() ? known_[0] : compared_[0];
      return fmt::format("{} takes {} per run, and no other machine is comparable with it", Name(only),
                         TimeText(Time(only).ns));
    }
    if (Sure()) {
      return fmt::format("{} is the fastest{}: {} per run, {:.2f}x as fast as {}, and their intervals do not overlap",
                         Name(compared_[0]), Quicker().empty() ? "" : " of those compared",
                         TimeText(Time(compared_[0]).ns), Ratio(), Name(compared_[1]));
    }
    return NamesWith(Rivals(), [this](size_t device) { return TimeText(Time(device).ns); }) +
           " cannot be told apart: their intervals overlap";
  }

  std::string CheapestOf() const {
    if (priced_.empty()) return "";
    if (const std::vector<size_t> rivals = PriceRivals(); rivals.size() > 1) {
      return fmt::format(
          "; the cheapest cannot be told for sure: {} per million inferences, and their intervals overlap",
          NamesWith(rivals, [this](size_t device) { return MoneyText(Price(device)); }));
    }
    const bool is_fastest = compared_.size() > 1 && Sure() && priced_[0] == compared_[0];
    const char* verb = priced_.size() < 2 ? "costs" : is_fastest ? "is also the cheapest:" : "is the cheapest:";
    return fmt::format("; {} {} {} per million inferences", is_fastest ? "it" : Name(priced_[0]), verb,
                       MoneyText(Price(priced_[0])));
  }

  std::string Summary() const {
    std::string text = Winner() + CheapestOf();
    const std::vector<std::string> left_out = NotCompared();
    if (!compared_.empty() && !left_out.empty()) {
      text += fmt::format("; {} {} not comparable", NamesText(left_out), left_out.size() == 1 ? "was" : "were");
      if (const std::vector<size_t> quicker = Quicker(); !quicker.empty()) {
        text +=
            ", but " + NamesWith(quicker, [this](size_t device) { return TimeText(Time(device).ns); }) + " took less";
      }
    }
    return text + ".";
  }

  std::string TimeAndInterval(size_t device) const {
    const ComparedTime& time = Time(device);
    return fmt::format("{} takes {} ({} to {})", Name(device), TimeText(time.ns), TimeText(time.low_ns),
                       TimeText(time.high_ns));
  }

  // "left", "left or right".
  std::string AnyOf(const std::vector<size_t>& devices) const {
    std::vector<std::string> names;
    for (const size_t device : devices) names.push_back(Name(device));
    if (names.size() > kNamedDevices) names.resize(kNamedDevices), names.emplace_back("others");
    return fmt::format("{}", fmt::join(names, " or "));
  }

  Answer Fastest() const {
    if (compared_.size() < 2) {
      const size_t only = compared_.empty() ? known_[0] : compared_[0];
      return {"Nothing to compare with", TimeAndInterval(only) + "."};
    }
    std::string text = fmt::format("{}, {}. ", TimeAndInterval(compared_[0]), TimeAndInterval(compared_[1]));
    text += Sure() ? fmt::format("The intervals do not overlap: {:.2f}x.", Ratio())
                   : "The intervals overlap, so more samples are needed.";
    return {AnyOf(Rivals()) + (Quicker().empty() ? "" : ", of those compared"), text};
  }

  Answer Cheapest() const {
    if (priced_.empty()) return {"Not known", WhyNoPrice()};
    return {AnyOf(PriceRivals()), CheapestText()};
  }

  std::string WhyNoPrice() const {
    const bool any_price = std::any_of(c_.devices.begin(), c_.devices.end(),
                                       [](const ComparedDevice& device) { return device.price_per_hour > 0; });
    return any_price ? "No machine with a price is comparable." : "No prices were given: --price KEY=0.17/h gives one.";
  }

  std::string CheapestText() const {
    std::string text =
        fmt::format("{} costs {} per million inferences at {:g} per hour and batch {}", Name(priced_[0]),
                    MoneyText(Price(priced_[0])), c_.devices[priced_[0]].price_per_hour, c_.models[model_].images);
    if (priced_.size() > 1) {
      text += fmt::format(", {} {} ({:.2f}x)", Name(priced_[1]), MoneyText(Price(priced_[1])),
                          Price(priced_[1]) / Price(priced_[0]));
    }
    const size_t unpriced = compared_.size() - priced_.size();
    return text + (unpriced > 0 ? fmt::format(". {} of {} {} no price.", unpriced, Counted(compared_.size(), "machine"),
                                              unpriced == 1 ? "has" : "have")
                                : ".");
  }

  std::string ShareOf(size_t device) const {
    const ComparedDevice& d = c_.devices[device];
    const ComparedCell& cell = c_.At(device, model_);
    return fmt::format("{} reaches {} of {:.0f} GFLOP/s", Name(device),
                       ShareText(FmaShare(d.roofs, cell.flops, cell.time.ns)), d.roofs.gflops);
  }

  // "left may compute 2.00x as much as right"; else which layers differ, or that nothing is known.
  Answer Why() const {
    std::string details = WhyText();
    if (details.empty()) return {"Not known", "No layer was timed by itself."};
    if (compared_.size() > 1) {
      const double quick = c_.devices[compared_[0]].roofs.gflops, slow = c_.devices[compared_[1]].roofs.gflops;
      if (quick > slow * kMuchMore && slow > 0) {
        return {
            fmt::format("{} can compute {:.2f}x as much as {}", Name(compared_[0]), quick / slow, Name(compared_[1])),
            details};
      }
      if (quick > 0 && slow > 0) return {"The share of its limit that each machine reaches", details};
    }
    return {"Shares of what the machines can do", details};
  }

  std::string WhyText() const {
    std::vector<std::string> sentences, shares;
    const std::vector<size_t>& shown = compared_.empty() ? known_ : compared_;
    double most = 0;
    for (size_t i = 0; i < std::min<size_t>(2, shown.size()); ++i) {
      const double share = FmaShare(c_.devices[shown[i]].roofs, c_.At(shown[i], model_).flops, Time(shown[i]).ns);
      most = std::max(most, share);
      if (share > 0) shares.push_back(ShareOf(shown[i]));
    }
    if (!shares.empty()) sentences.push_back(fmt::format("{}.", fmt::join(shares, ", ")));
    if (compared_.size() > 1) sentences.push_back(LayersText());
    if (most > 1)
      sentences.push_back("Above 100 %: Winograd and 8-bit kernels need fewer operations than are counted.");
    std::erase(sentences, "");
    return fmt::format("{}", fmt::join(sentences, " "));
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

  // Doubts that would change the answers stand first.
  Answer Unsure() const {
    std::vector<std::string> open;
    if (compared_.size() > 1 && !Sure()) open.emplace_back("which is the fastest");
    if (!priced_.empty() && PriceRivals().size() > 1) open.emplace_back("which is the cheapest");
    const bool overlap = !open.empty();
    if (const std::vector<std::string> others = NotCompared(); !compared_.empty() && !others.empty()) {
      open.push_back(fmt::format("where {} {}", NamesText(others), others.size() == 1 ? "stands" : "stand"));
    }
    const std::vector<std::string> doubts = Doubts();
    if (open.empty() && doubts.empty()) return {"Nothing known", "All times are complete, quiet and comparable."};
    std::string short_text = open.empty() ? "details, not the order" : fmt::format("{}", fmt::join(open, ", and "));
    short_text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(short_text[0])));
    const std::string why = overlap ? "Intervals overlap. " : "";
    return {short_text, doubts.empty() ? why : fmt::format("{}{}.", why, fmt::join(doubts, ". "))};
  }

  std::vector<std::string> Doubts() const {
    std::vector<std::string> doubts, assumed;
    if (c_.models[model_].is_tasks_alone) {
      doubts.push_back("Operators that are not tuned are left out of these times: `hone report MODEL` adds them");
    }
    for (const size_t device : known_) {
      const ComparedCell& cell = c_.At(device, model_);
      const std::string note = StandingText(c_, device, model_, standings_[device]);
      if (!note.empty()) doubts.push_back(fmt::format("{}: {}", Name(device), note));
      const ComparedTime& time = Time(device);
      if (static_cast<double>(time.high_ns) > kWide * static_cast<double>(time.ns)) {
        doubts.push_back(fmt::format("{} may take up to {}", Name(device), TimeText(time.high_ns)));
      }
      const double estimated = static_cast<double>(cell.estimated_ns) / static_cast<double>(cell.time.ns);
      if (estimated > kMuchEstimated) {
        doubts.push_back(fmt::format("{:.0f} % of {}'s time is estimated from bytes", 100 * estimated, Name(device)));
      }
      const MachineRoofs& roofs = c_.devices[device].roofs;
      if (roofs.gflops > 0 && !roofs.measured) assumed.push_back(Name(device));
    }
    if (!assumed.empty()) doubts.push_back("The roofs are assumed, not measured, of " + NamesText(assumed));
    return doubts;
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

std::string VerdictOf(const ComparisonReport& report, size_t model, const std::vector<size_t>& order, size_t device) {
  const Comparison& c = report.comparison;
  const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
  if (standings[device].ratio <= 0) return "not compared";
  if (standings[device].partial()) return "incomplete";
  std::vector<size_t> whole;  // quickest first
  for (const size_t each : order) {
    if (standings[each].whole()) whole.push_back(each);
  }
  if (whole.size() < 2) return "alone";
  const auto overlaps_the_first = [&](size_t other) {
    return Overlap(c.At(whole[0], model).time, c.At(other, model).time);
  };
  if (device != whole[0]) return overlaps_the_first(device) ? "cannot tell" : "slower";
  return std::any_of(whole.begin() + 1, whole.end(), overlaps_the_first) ? "cannot tell" : "fastest";
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
