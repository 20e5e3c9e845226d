#include "compiler/passes/layouts/ranged_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "compiler/passes/graph/anchor_result.h"
#include "compiler/schedules/conv2d/conv2d_direct.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {
namespace {

// Candidates beyond this many times the best of each part are not looked at.
constexpr double kNear = 1.5;
// Lengths between two parts at which a change of kernels is considered.
constexpr int64_t kBetween = 16;
// Share of the first cache that holds weights, and share of the lesser of two times that the other does not hide.
constexpr double kFirstCacheShare = 0.75, kUnhidden = 0.25;
// Kernels that were not measured count as at least so many times the time of one that was.
constexpr double kUnmeasured = 1.05;
// A choice without a time is taken for much faster than all others.
constexpr double kTaken = 1e-3;

// The layouts of all operands but those of a role.
std::string LayoutsKey(const Workload& workload, const ConfigChoice& choice, std::optional<OperandRole> but = {}) {
  std::string key;
  for (const KernelOperand& operand :
       FindSchedule(choice.schedule)->Operands(workload, choice.config, CanonicalEpilogue(workload))) {
    if (operand.role != but) key += operand.layout.ToText() + " ";
  }
  return key;
}

// Costs of weights that one more kernel reads in a layout of its own: for any, and for as many bytes as the others.
constexpr double kOwnWeights = 0.05, kOwnBytes = 0.2;

KernelOperand WeightOperand(const Workload& workload, const ConfigChoice& choice) {
  for (KernelOperand& operand :
       FindSchedule(choice.schedule)->Operands(workload, choice.config, CanonicalEpilogue(workload))) {
    if (operand.role == OperandRole::kWeight) return std::move(operand);
  }
  throw Error(ExitCode::kBug, "a kernel without weights: " + choice.schedule);
}

// A convolution's kernel ends with the rows of a run unless it joins an image's rows, and with its columns if these are
// work items.
Shape WholeRows(const Workload& workload, const Schedule& schedule, const Config& config, Shape part) {
  const ConvShape shape(workload);
  int64_t &rows = Nth(part, shape.row_axis), &columns = Nth(part, shape.column_axis);
  if (config.Get(kColumnItems, 0) > 0) {
    const bool by_block = config.Get("tile_block", 0) > 0;
    int64_t tile = config.Get(by_block ? "tile_block" : "tile_ow", 1) * config.Get("tile_m", 1);
    if (workload.prologue != Prologue::kNone) tile *= CeilDiv(kPartColumns, tile);
    columns = std::min(shape.OW, CeilDiv(columns, tile) * tile);
    return part;
  }
  const int64_t joined = schedule.name() == "conv2d_pixels" && shape.pointwise() ? shape.OH : config.Get("tile_oh", 1);
  const bool by_image = schedule.name().starts_with("conv2d_winograd");
  rows = by_image ? shape.OH : std::min(shape.OH, CeilDiv(rows, joined) * joined);
  columns = shape.OW;
  return part;
}

// The positions that kernels compute: whole tiles of rows.
Shape WholeTiles(const Workload& workload, const Schedule& schedule, const Config& config, Shape part) {
  if (workload.is_conv()) return WholeRows(workload, schedule, config, std::move(part));
  const int64_t rows = config.Get("tile_m", 1);
  if (rows < 1) return part;
  int64_t& m = part[workload.is_batch_matmul() ? 1 : 0];
  m = CeilDiv(m, rows) * rows;
  return part;
}

bool IsWithin(const Shape& part, const Shape& whole) {
  return std::equal(part.begin(), part.end(), whole.begin(), [](int64_t a, int64_t b) { return a <= b; });
}

// The best kernels of each part, by the layouts of all operands.
class KernelClasses {
 public:
  struct Class {
    std::vector<PartKernel> kernels;
    std::vector<size_t> best;  // in `kernels`, by part
  };

  explicit KernelClasses(size_t parts) : least_ns_(parts, std::numeric_limits<double>::infinity()) {}

  void Add(std::string key, PartKernel kernel) {
    Class& same = classes_[std::move(key)];
    bool is_best = same.kernels.empty();
    same.best.resize(least_ns_.size(), 0);
    for (size_t part = 0; part < least_ns_.size(); ++part) {
      least_ns_[part] = std::min(least_ns_[part], kernel.ns[part]);
      if (same.kernels.empty() || kernel.ns[part] >= same.kernels[same.best[part]].ns[part]) continue;
      same.best[part] = same.kernels.size();
      is_best = true;
    }
    if (is_best) same.kernels.push_back(std::move(kernel));
  }

  const std::map<std::string, Class>& all() const { return classes_; }
  const std::vector<double>& least_ns() const { return least_ns_; }  // of all classes, by part

 private:
  std::map<std::string, Class> classes_;
  std::vector<double> least_ns_;
};

}  // namespace

PartChoices ChooseForParts(const std::vector<PartKernel>& kernels, const std::vector<double>& unit_ns,
                           const KernelChange& change) {
  const size_t parts = unit_ns.size();
  std::vector<std::vector<double>> sums(parts, std::vector<double>(kernels.size()));
  std::vector<std::vector<size_t>> before(parts, std::vector<size_t>(kernels.size()));
  for (size_t part = 0; part < parts; ++part) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      double least = part == 0 ? 0 : std::numeric_limits<double>::infinity();
      for (size_t from = 0; part > 0 && from < kernels.size(); ++from) {
        const double sum = sums[part - 1][from] + (from == k ? 0 : change(kernels[from], kernels[k]));
        if (sum >= least) continue;
        least = sum;
        before[part][k] = from;
      }
      sums[part][k] = least + kernels[k].ns[part] / unit_ns[part];
    }
  }
  PartChoices best;
  const auto last = std::min_element(sums.back().begin(), sums.back().end());
  best.cost = *last;
  best.kernel_of.assign(parts, static_cast<size_t>(last - sums.back().begin()));
  for (size_t part = parts - 1; part > 0; --part) best.kernel_of[part - 1] = before[part][best.kernel_of[part]];
  return best;
}

struct RangedKernels::Scored {
  const Schedule* schedule = nullptr;
  Config config;
  std::vector<double> ns;
};

RangedKernels::RangedKernels(const Workload& workload, const MachineModel& machine,
                             const std::vector<NeededResult>& parts, bool constant_weights, Allowed allowed)
    : workload_(workload),
      machine_(machine),
      warm_(machine),
      several_weights_(constant_weights && workload.is_conv()),
      allowed_(std::move(allowed)),
      scales_(parts.size(), 1),
      floors_ns_(parts.size(), 0) {
  warm_.cold_bytes_per_cycle = warm_.shared_bytes_per_cycle = machine.moved_bytes_per_cycle.l1;
  for (const auto& [shape, share] : parts) {
    parts_.push_back(shape);
    shares_.push_back(share);
  }
  const int64_t columns = workload.is_conv() ? ConvShape(workload).column_axis : 0;
  ends_columns_ = workload.is_conv() && Nth(parts_.front(), columns) < Nth(parts_.back(), columns);
}

// The layouts that all kernels of a call have.
std::string RangedKernels::SharedLayouts(const ConfigChoice& choice) const {
  return several_weights_ ? LayoutsKey(workload_, choice, OperandRole::kWeight) : LayoutsKey(workload_, choice);
}

double RangedKernels::ChangeCost(const PartKernel& smaller, const PartKernel& larger, double least_gain) const {
  if (!several_weights_ || least_gain < 0) return least_gain;
  const KernelOperand own = WeightOperand(workload_, smaller.choice), others = WeightOperand(workload_, larger.choice);
  if (own.layout == others.layout) return least_gain;
  const auto share = static_cast<double>(PhysicalBytes(own)) / static_cast<double>(PhysicalBytes(others));
  return std::max(least_gain, kOwnWeights + kOwnBytes * share);
}

double RangedKernels::EstimateNs(const Schedule& schedule, const Config& config, const Shape& part) const {
  const Workload workload = WithResult(workload_, WholeTiles(workload_, schedule, config, part));
  const double ns = schedule.EstimateNs(workload, machine_, config);
  if (workload.is_conv()) return ns;
  const double again_ns = PanelsAgainNs(schedule, workload, config);
  // Few rows wait for their weights, and the arithmetic still takes some time of its own.
  const double arithmetic_ns = schedule.EstimateNs(workload, warm_, config);
  return std::max(ns, again_ns) + kUnhidden * (again_ns + arithmetic_ns);
}

// A panel of weights that the first cache does not hold comes from the second one for every tile of rows. Estimates of
// dense layers leave this out. It decides between tiles of few rows and of many.
double RangedKernels::PanelsAgainNs(const Schedule& schedule, const Workload& workload, const Config& config) const {
  if (workload.op != "nn.dense") return 0;
  const TileShape tile = schedule.Tile(workload, machine_, config);
  const bool stays = tile.weight_bytes <= kFirstCacheShare * static_cast<double>(machine_.l1_bytes);
  if (stays || tile.line <= tile.rows) return 0;
  const double bytes = std::ceil(tile.line / tile.rows) * tile.groups * tile.weight_bytes;
  return bytes / machine_.moved_bytes_per_cycle.l2 / machine_.clock_ghz / machine_.threads;
}

double RangedKernels::CostNs(const Schedule& schedule, const Config& config, size_t part) const {
  return std::max(scales_[part] * EstimateNs(schedule, config, parts_[part]), floors_ns_[part]);
}

// The config whose kernel leaves out the columns that a run does not need, if there is one.
Config RangedKernels::Ending(const Schedule& schedule, Config config) const {
  if (!ends_columns_) return config;
  Config ending = config;
  ending.Set(kColumnItems, 1);
  return schedule.Reject(workload_, machine_, ending) ? config : ending;
}

void RangedKernels::AddKnown(size_t part, std::vector<ConfigChoice> known) {
  if (known.empty()) return;
  for (ConfigChoice& choice : known) {
    choice.config = Ending(*FindSchedule(choice.schedule), std::move(choice.config));
  }
  const ConfigChoice& best = known.front();
  const double estimate = EstimateNs(*FindSchedule(best.schedule), best.config, parts_[part]);
  const bool timed = best.expected_ns > 0;
  if (timed) {
    floors_ns_[part] = kUnmeasured * static_cast<double>(best.expected_ns);
    scales_[part] = static_cast<double>(best.expected_ns) / estimate;
  }
  for (const ConfigChoice& choice : known) {
    PartKernel& kernel = known_.emplace_back(PartKernel{choice, std::vector<double>(parts_.size(), 0)});
    kernel.ns[part] = timed ? static_cast<double>(std::max(best.expected_ns, choice.expected_ns)) : kTaken * estimate;
  }
}

// The known kernel of that config, as it was measured at the part; null if it was not.
const PartKernel* RangedKernels::KnownAt(size_t part, const ConfigChoice& choice) const {
  const auto same = std::find_if(known_.begin(), known_.end(), [&](const PartKernel& kernel) {
    return kernel.ns[part] > 0 && kernel.choice.schedule == choice.schedule && kernel.choice.config == choice.config;
  });
  return same == known_.end() ? nullptr : &*same;
}

// The valid configs that are near the best of some part.
std::vector<RangedKernels::Scored> RangedKernels::Candidates() const {
  std::vector<Scored> all;
  std::vector<double> least_ns(parts_.size(), std::numeric_limits<double>::infinity());
  for (const Schedule* schedule : SchedulesFor(workload_, machine_)) {
    const ConfigSpace space = schedule->Space(workload_, machine_);
    for (int64_t i = 0; i < space.size(); ++i) {
      Scored scored{schedule, Ending(*schedule, space.At(i)), {}};
      if (schedule->Reject(workload_, machine_, scored.config)) continue;
      bool is_near = false;
      for (size_t part = 0; part < parts_.size(); ++part) {
        scored.ns.push_back(EstimateNs(*schedule, scored.config, parts_[part]));
        is_near = is_near || scored.ns[part] < kNear * least_ns[part];
      }
      if (!is_near || !allowed_(*schedule, scored.config)) continue;
      for (size_t part = 0; part < parts_.size(); ++part) least_ns[part] = std::min(least_ns[part], scored.ns[part]);
      all.push_back(std::move(scored));
    }
  }
  std::erase_if(all, [&](const Scored& scored) {
    bool is_near = false;
    for (size_t part = 0; part < parts_.size(); ++part) is_near = is_near || scored.ns[part] < kNear * least_ns[part];
    return !is_near;
  });
  for (Scored& scored : all) {
    for (size_t part = 0; part < parts_.size(); ++part) {
      scored.ns[part] = std::max(scales_[part] * scored.ns[part], floors_ns_[part]);
    }
  }
  return all;
}

// The largest extents at which the smaller kernel still serves, between those of two parts: where the sum of both
// kernels' estimates over the lengths between is least.
Shape RangedKernels::LimitBetween(const PartKernel& smaller, const PartKernel& larger, const Shape& from,
                                  const Shape& to) const {
  if (!IsWithin(from, to)) return from;
  double gain = 0, most_gain = 0;
  Shape limit = from;
  for (int64_t i = 1; i < kBetween; ++i) {
    Shape at = from;
    for (size_t d = 0; d < at.size(); ++d) at[d] += (to[d] - from[d]) * i / kBetween;
    const double small_ns = EstimateNs(*FindSchedule(smaller.choice.schedule), smaller.choice.config, at);
    gain += EstimateNs(*FindSchedule(larger.choice.schedule), larger.choice.config, at) / small_ns - 1;
    if (gain <= most_gain) continue;
    most_gain = gain;
    limit = std::move(at);
  }
  return limit;
}

// The extents up to which the kernel of the parts [first, end) serves, with another kernel from part `end` on. Several
// are needed where one of them alone would cover that part:
//
//   rows     64  | A B        A serves up to 20 rows of any width, and up to 20 columns of any height
//            20  | A A
//                +-----
//                 20 64  columns
std::vector<Shape> RangedKernels::LimitsOf(size_t first, size_t end, const PartKernel& smaller,
                                           const PartKernel& larger) const {
  std::vector<Shape> limits;
  for (size_t part = first; part < end; ++part) {
    Shape limit = LimitBetween(smaller, larger, parts_[part], parts_[end]);
    std::erase_if(limits, [&](const Shape& other) { return IsWithin(other, limit); });
    const bool known =
        std::any_of(limits.begin(), limits.end(), [&](const Shape& other) { return IsWithin(limit, other); });
    if (!known) limits.push_back(std::move(limit));
  }
  return limits;
}

// The choice with the record of the part, where it has one.
const ConfigChoice& RangedKernels::ChoiceAt(size_t part, const ConfigChoice& choice) const {
  const PartKernel* const same = KnownAt(part, choice);
  return same == nullptr ? choice : same->choice;
}

// The choice for the parts [first, end). A kernel that fetches weights is told the least number of rows of its runs.
ConfigChoice RangedKernels::ChoiceFor(size_t first, size_t end, const ConfigChoice& choice) const {
  ConfigChoice chosen = ChoiceAt(end - 1, choice);
  if (chosen.config.Get(kColumnItems, 0) == 0 || chosen.config.Get("prefetch", 0) == 0) return chosen;
  const int64_t rows = ConvShape(workload_).row_axis;
  int64_t least = Nth(parts_[first], rows);
  for (size_t part = first; part < end; ++part) least = std::min(least, Nth(parts_[part], rows));
  chosen.config.Set(kColumnItems, least);
  return chosen;
}

PairChoice RangedKernels::PairOf(const std::vector<PartKernel>& kernels, const PartChoices& choices) const {
  const size_t last = choices.kernel_of.back();
  PairChoice pair;
  pair.layouts = LayoutPairOf(*FindSchedule(kernels[last].choice.schedule), workload_, kernels[last].choice.config);
  pair.cost_ns = kernels[last].ns.back();
  size_t first = 0;
  for (size_t part = 0; part + 1 < parts_.size(); ++part) {
    const size_t now = choices.kernel_of[part], next = choices.kernel_of[part + 1];
    if (now == next) continue;
    for (Shape& most : LimitsOf(first, part + 1, kernels[now], kernels[next])) {
      pair.variants.push_back({ChoiceFor(first, part + 1, kernels[now].choice), std::move(most)});
    }
    first = part + 1;
  }
  pair.choice = ChoiceFor(first, parts_.size(), kernels[last].choice);
  return pair;
}

std::vector<double> RangedKernels::UnitsNs(const std::vector<double>& least_ns) const {
  double all_ns = 0;
  for (size_t part = 0; part < least_ns.size(); ++part) all_ns += shares_[part] * least_ns[part];
  if (all_ns == 0) return least_ns;
  std::vector<double> units;
  const auto parts = static_cast<double>(least_ns.size());
  for (const double share : shares_) {
    units.push_back(share > 0 ? all_ns / (parts * share) : std::numeric_limits<double>::infinity());
  }
  return units;
}

std::vector<PairChoice> RangedKernels::Choose(double least_gain) const {
  KernelClasses classes(parts_.size());
  for (PartKernel known : known_) {
    const Schedule& schedule = *FindSchedule(known.choice.schedule);
    for (size_t part = 0; part < parts_.size(); ++part) {
      const PartKernel* const same = KnownAt(part, known.choice);
      known.ns[part] = same != nullptr ? same->ns[part] : CostNs(schedule, known.choice.config, part);
    }
    std::string key = LayoutsKey(workload_, known.choice);
    classes.Add(std::move(key), std::move(known));
  }
  for (Scored& scored : Candidates()) {
    ConfigChoice choice{std::string(scored.schedule->name()), std::move(scored.config), "default", "", 0};
    std::string key = LayoutsKey(workload_, choice);
    classes.Add(std::move(key), {std::move(choice), std::move(scored.ns)});
  }
  std::map<std::string, std::vector<PartKernel>> groups;
  for (const auto& [key, same] : classes.all()) {
    std::vector<PartKernel>& group = groups[SharedLayouts(same.kernels.front().choice)];
    group.insert(group.end(), same.kernels.begin(), same.kernels.end());
  }
  const std::vector<double> units = UnitsNs(classes.least_ns());
  std::map<LayoutPair, std::pair<double, PairChoice>> pairs;
  for (const auto& [layouts, kernels] : groups) {
    const auto change = [&](const PartKernel& smaller, const PartKernel& larger) {
      return ChangeCost(smaller, larger, least_gain);
    };
    const PartChoices choices = ChooseForParts(kernels, units, change);
    PairChoice pair = PairOf(kernels, choices);
    const auto [it, is_new] = pairs.try_emplace(pair.layouts, choices.cost, pair);
    if (!is_new && choices.cost < it->second.first) it->second = {choices.cost, std::move(pair)};
  }
  std::vector<std::pair<double, PairChoice>> sorted;
  for (auto& [layouts, choice] : pairs) sorted.push_back(std::move(choice));
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PairChoice> all;
  for (auto& [cost, pair] : sorted) all.push_back(std::move(pair));
  return all;
}

}  // namespace hone
