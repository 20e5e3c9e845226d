#include "tuner/search/search_space.h"

#include <algorithm>
#include <set>

#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

// Index of the knob's value in the space, or -1.
int64_t PlaceOf(const Knob& knob, const Config& config) {
  const auto value = config.Find(knob.name);
  const auto at = value ? std::find(knob.values.begin(), knob.values.end(), *value) : knob.values.end();
  return at == knob.values.end() ? -1 : at - knob.values.begin();
}

int64_t Neighbour(const Knob& knob, int64_t place, Random& random) {
  const int64_t count = static_cast<int64_t>(knob.values.size());
  if (place < 0 || random.Below(4) == 0) return static_cast<int64_t>(random.Below(static_cast<uint64_t>(count)));
  if (place == 0) return 1;
  if (place == count - 1) return place - 1;
  return random.Below(2) == 0 ? place - 1 : place + 1;
}

}  // namespace

SearchSpace::SearchSpace(const SearchTask& task) : workload_(task.workload), machine_(task.machine) {
  const auto schedules = task.schedules.empty() ? SchedulesFor(workload_, machine_) : task.schedules;
  for (const Schedule* schedule : schedules) {
    parts_.push_back({schedule, schedule->Space(workload_, machine_)});
    size_ += parts_.back().space.size();
  }
  complete_ = size_ <= kMostEnumerated;
  if (complete_) {
    Enumerate();
  } else {
    Draw();
  }
  std::stable_sort(ranked_.begin(), ranked_.end(),
                   [](const Ranked& a, const Ranked& b) { return a.estimate_ns < b.estimate_ns; });
}

void SearchSpace::Rank(const Part& part, Config config) {
  if (part.schedule->Reject(workload_, machine_, config)) return;
  const double estimate = part.schedule->EstimateNs(workload_, machine_, config);
  ranked_.push_back({{std::string(part.schedule->name()), std::move(config)}, estimate});
}

void SearchSpace::Enumerate() {
  for (const Part& part : parts_) {
    for (int64_t i = 0; i < part.space.size(); ++i) Rank(part, part.space.At(i));
  }
}

std::optional<SearchSpace::Ranked> SearchSpace::Default() const {
  std::optional<Ranked> best;
  for (const Part& part : parts_) {
    for (int64_t i = 0; i < part.space.size(); ++i) {
      Config config = part.space.At(i);
      if (part.schedule->Reject(workload_, machine_, config)) continue;
      const double estimate = part.schedule->EstimateNs(workload_, machine_, config);
      if (!best || estimate < best->estimate_ns)
        best = {{std::string(part.schedule->name()), std::move(config)}, estimate};
    }
  }
  return best;
}

void SearchSpace::Draw() {
  std::set<std::string> drawn;
  if (auto first = Default()) {
    drawn.insert(Key(first->proposal));
    ranked_.push_back(std::move(*first));
  }
  Random random(0);
  for (int64_t i = 0; i < 2 * kDrawn && static_cast<int64_t>(ranked_.size()) < kDrawn; ++i) {
    auto proposal = Sample(random);
    if (!proposal || !drawn.insert(Key(*proposal)).second) continue;
    const double estimate = EstimateNs(*proposal);
    ranked_.push_back({std::move(*proposal), estimate});
  }
}

const SearchSpace::Part* SearchSpace::PartOf(const std::string& schedule) const {
  for (const Part& part : parts_) {
    if (part.schedule->name() == schedule) return &part;
  }
  return nullptr;
}

const Schedule* SearchSpace::Find(const std::string& schedule) const {
  const Part* part = PartOf(schedule);
  return part == nullptr ? nullptr : part->schedule;
}

std::string SearchSpace::Key(const Proposal& proposal) const {
  const Part* part = PartOf(proposal.schedule);
  const auto index = part == nullptr ? std::nullopt : part->space.IndexOf(proposal.config);
  if (index) return proposal.schedule + " #" + std::to_string(*index);
  auto values = proposal.config.values();
  std::sort(values.begin(), values.end());
  return proposal.schedule + " " + Config(std::move(values)).ToText();
}

bool SearchSpace::Valid(const Proposal& proposal) const {
  const Part* part = PartOf(proposal.schedule);
  return part != nullptr && !part->schedule->Reject(workload_, machine_, proposal.config);
}

double SearchSpace::EstimateNs(const Proposal& proposal) const {
  return PartOf(proposal.schedule)->schedule->EstimateNs(workload_, machine_, proposal.config);
}

std::optional<Proposal> SearchSpace::Sample(Random& random) const {
  if (parts_.empty()) return std::nullopt;
  for (int attempt = 0; attempt < 64; ++attempt) {
    const Part& part = parts_[random.Below(parts_.size())];
    Proposal proposal{std::string(part.schedule->name()), part.space.Sample(random)};
    if (Valid(proposal)) return proposal;
  }
  return std::nullopt;
}

Proposal SearchSpace::Cross(const Proposal& a, const Proposal& b, Random& random) const {
  Proposal child = a;
  for (const Knob& knob : PartOf(a.schedule)->space.knobs()) {
    const auto other = b.config.Find(knob.name);
    if (other && random.Below(2) == 0) child.config.Set(knob.name, *other);
  }
  return child;
}

Proposal SearchSpace::Mutate(const Proposal& parent, Random& random) const {
  Proposal child = parent;
  std::vector<const Knob*> movable;
  for (const Knob& knob : PartOf(parent.schedule)->space.knobs()) {
    if (knob.values.size() > 1) movable.push_back(&knob);
  }
  if (movable.empty()) return child;
  const Knob& knob = *movable[random.Below(movable.size())];
  const int64_t to = Neighbour(knob, PlaceOf(knob, parent.config), random);
  child.config.Set(knob.name, knob.values[static_cast<size_t>(to)]);
  return child;
}

std::shared_ptr<const SearchSpace> SpaceOf(const SearchTask& task) {
  return task.space ? task.space : std::make_shared<const SearchSpace>(task);
}

}  // namespace hone
