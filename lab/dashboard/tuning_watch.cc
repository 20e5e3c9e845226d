#include "lab/dashboard/tuning_watch.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/serialize.h"
#include "db/verdicts/best_in_setup.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

constexpr size_t kMost = 4096;

}  // namespace

void TrialRate::Count(int64_t unix_ms) {
  times_.insert(std::upper_bound(times_.begin(), times_.end(), unix_ms), unix_ms);
  while (times_.size() > kMost || times_.front() < times_.back() - kWindowMs) times_.pop_front();
}

double TrialRate::PerSecond(int64_t now_unix_ms) const {
  if (times_.size() < 2 || times_.back() < now_unix_ms - kWindowMs) return 0;
  const int64_t span_ms = std::max(times_.back() - times_.front(), kLeastSpanMs);
  return 1e3 * static_cast<double>(times_.size() - 1) / static_cast<double>(span_ms);
}

int64_t WatchedRun::ModelNs() const {
  int64_t sum = 0;
  for (const WatchedTask& task : tasks) {
    if (task.uses <= 0 || task.best_ns <= 0) return 0;
    sum += task.uses * task.best_ns;
  }
  return sum;
}

int64_t WatchedRun::FirstModelNs() const {
  int64_t sum = 0;
  for (const WatchedTask& task : tasks) {
    if (task.uses <= 0 || task.first_ns <= 0) return 0;
    sum += task.uses * task.first_ns;
  }
  return sum;
}

int64_t WatchedRun::TasksTimed() const {
  return std::count_if(tasks.begin(), tasks.end(), [](const WatchedTask& task) { return task.best_ns > 0; });
}

namespace {

// Drops every other element, but neither the first nor the last.
template <typename T>
void Thin(std::vector<T>& list) {
  std::vector<T> fewer;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i % 2 == 0 || i + 1 == list.size()) fewer.push_back(list[i]);
  }
  list = std::move(fewer);
}

}  // namespace

std::vector<std::pair<int64_t, int64_t>> WatchedRun::Curve() const {
  int64_t first_ns = 0;
  for (const WatchedTask& task : tasks) {
    if (task.uses <= 0) return {};
    first_ns += task.uses * task.first_ns;
  }
  if (first_ns == 0) return {};
  std::vector<std::pair<int64_t, int64_t>> curve = {{0, first_ns}};
  for (const auto& [ms, gained_ns] : gains) curve.emplace_back(ms, first_ns - gained_ns);
  curve.emplace_back(std::max<int64_t>(last_unix_ms - first_unix_ms, curve.back().first), curve.back().second);
  return curve;
}

void WatchedRun::NoteGain(int64_t unix_ms) {
  int64_t gained_ns = 0;
  for (const WatchedTask& task : tasks) {
    if (task.first_ns > 0 && task.best_ns > 0) gained_ns += task.uses * (task.first_ns - task.best_ns);
  }
  if (gained_ns == (gains.empty() ? 0 : gains.back().second)) return;
  gains.emplace_back(std::max<int64_t>(0, unix_ms - first_unix_ms), gained_ns);
  if (gains.size() > kMostSteps) Thin(gains);
}

void WatchedRun::SetFirst(WatchedTask& task, int64_t ns, int64_t unix_ms) {
  const int64_t since_ms = std::max<int64_t>(0, unix_ms - first_unix_ms);
  if (task.first_ns == 0) task.first_since_ms = since_ms;
  for (auto& [ms, gained_ns] : gains) {
    if (task.first_ns > 0 && ms >= task.first_since_ms) gained_ns += task.uses * (ns - task.first_ns);
  }
  task.first_ns = ns;
}

void WatchedTask::NotePoint(int64_t ns, const std::string& of_schedule, const std::string& of_config) {
  points.emplace_back(trials, ns);
  if (points.size() > kMostPoints) Thin(points);
  try {
    const Config parsed = Config::Parse(of_config);
    for (const auto& [knob, value] : parsed.values()) {
      int64_t& least_ns = knobs[of_schedule][knob].try_emplace(value, ns).first->second;
      least_ns = std::min(least_ns, ns);
    }
  } catch (const Error&) {
    // A damaged config has no knobs, and its trial is still shown.
  }
}

std::vector<std::pair<std::string, double>> WatchedTask::KnobsThatMatter() const {
  std::vector<std::pair<std::string, double>> matter;
  const auto of_best = knobs.find(schedule);
  if (of_best == knobs.end()) return matter;
  for (const auto& [knob, values] : of_best->second) {
    if (values.size() < 2) continue;
    const auto [best, worst] = std::minmax_element(values.begin(), values.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    matter.emplace_back(knob, static_cast<double>(worst->second) / static_cast<double>(best->second));
  }
  std::stable_sort(matter.begin(), matter.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return matter;
}

namespace {

constexpr int64_t kTail = 4096;             // newest records whose runs are looked up when the watch begins
constexpr size_t kMostBegun = 16;           // runs begun and not marked as ended
constexpr size_t kMostUnknown = 4096;       // ids remembered as belonging to no run
constexpr int kMostSlices = 32;             // per look
constexpr int64_t kSilentMs = 60'000;       // without a trial; a failing one takes 30 s
constexpr int kLostInARow = 3;              // after which the runners are gone
constexpr int64_t kHourMs = 3'600'000;      // for which an ended run is shown
constexpr int64_t kDayMs = 24 * 3'600'000;  // for which a silent run is shown

// A field of the run's description; empty if a run of an older hone lacks it.
std::string TextOr(const Json& json, const char* name) {
  return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : std::string();
}

int64_t IntegerOr(const Json& json, const char* name, int64_t otherwise) {
  return json.contains(name) && json[name].is_number_integer() ? json[name].get<int64_t>() : otherwise;
}

Json AskedOf(const TuningRun& run) {
  try {
    return ParseJson(run.json, "a tuning run");
  } catch (const Error&) {
    return Json::object();
  }
}

}  // namespace

bool TuningWatch::Look(const RecordStore& store) {
  if (!begun_) Begin(store);
  const int64_t arrived = store.Arrived();
  for (int slice = 0; slice < kMostSlices && seen_ < arrived; ++slice) {
    std::vector<TrialRow> rows;
    RecordQuery query;
    query.after = seen_;
    query.until = arrived;
    query.limit = kSlice;
    store.EachTrial(query, [&rows](const TrialRow& row) { rows.push_back(row); });
    for (const TrialRow& row : rows) {
      if (Followed* followed = RunOf(store, row.session, row.seq - 1, row.unix_ms)) Take(row, *followed);
      for (auto& [id, followed] : runs_) Unsettle(row, followed);
      seen_ = row.seq;
    }
    if (static_cast<int64_t>(rows.size()) < kSlice) seen_ = arrived;
  }
  RowsByWorkload rows;
  for (auto& [id, followed] : runs_) {
    ReadRun(store, followed);
    Settle(store, followed, rows);
  }
  return seen_ >= arrived;
}

void TuningWatch::Begin(const RecordStore& store) {
  seen_ = store.Arrived();
  std::set<std::string> ids;
  RecordQuery tail;
  tail.until = seen_;
  tail.limit = kSlice;
  // `after` is at least 0, which a query takes as no bound.
  for (tail.after = std::max<int64_t>(0, seen_ - kTail); tail.after < seen_;) {
    int64_t last = seen_;
    int64_t count = 0;
    store.EachTrial(tail, [&](const TrialRow& row) {
      ids.insert(row.session);
      last = row.seq;
      ++count;
    });
    tail.after = count < kSlice ? seen_ : last;
  }
  const std::vector<TuningRun> runs = store.Runs();
  size_t begun = 0;
  for (auto run = runs.rbegin(); run != runs.rend() && begun < kMostBegun; ++run) {
    if (run->state == "running" && ids.insert(run->id).second) ++begun;
  }
  for (const std::string& id : ids) RunOf(store, id, seen_, 0);
  begun_ = true;
}

TuningWatch::Followed* TuningWatch::RunOf(const RecordStore& store, const std::string& id, int64_t until,
                                          int64_t unix_ms) {
  if (const auto known = runs_.find(id); known != runs_.end()) return &known->second;
  if (no_runs_.contains(id)) return nullptr;
  if (!store.GetRun(id)) {
    if (no_runs_.size() >= kMostUnknown) no_runs_.clear();
    no_runs_.insert(id);
    return nullptr;
  }
  if (!MakeRoom(unix_ms)) return nullptr;
  Followed& followed = runs_[id];
  followed.run.id = id;
  // ReadRun adds the tasks in the model's order, before the records add others.
  ReadRun(store, followed);
  RecordQuery query;
  query.session = id;
  query.until = until;
  query.limit = kSlice;
  for (int64_t count = kSlice; until > 0 && count == kSlice;) {
    count = 0;
    store.EachTrial(query, [&](const TrialRow& row) {
      Take(row, followed);
      query.after = row.seq;
      ++count;
    });
  }
  return &followed;
}

bool TuningWatch::MakeRoom(int64_t unix_ms) {
  if (runs_.size() < kMostRuns) return true;
  const auto oldest = std::min_element(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) {
    return a.second.run.last_unix_ms < b.second.run.last_unix_ms;
  });
  // An evicted run is read again completely with its next trial.
  if (oldest->second.run.last_unix_ms > unix_ms - kSilentMs) return false;
  runs_.erase(oldest);
  return true;
}

void TuningWatch::Take(const TrialRow& row, Followed& followed) {
  Count(row, followed);
  Unsettle(row, followed);
}

void TuningWatch::Count(const TrialRow& row, Followed& followed) {
  WatchedRun& run = followed.run;
  const auto [index, is_new] = followed.task_of.try_emplace(row.workload, run.tasks.size());
  if (is_new) {
    run.tasks.emplace_back();
    run.tasks.back().workload = row.workload;
  }
  WatchedTask& task = run.tasks[index->second];
  followed.has_new_trials = true;
  if (row.held > 0) {
    ++task.finals;
    return;
  }
  const bool failed = row.fate != Fate::kOk;
  auto& [device, device_rate] = followed.devices[{MachineName(row), RunnerName(row)}];
  const size_t candidate = std::hash<std::string>{}(row.workload + '\n' + row.schedule + '\n' + row.config);
  const auto [attempt, is_first] = followed.attempts.try_emplace(candidate, false);
  const int64_t more_failed = int64_t{failed} - int64_t{std::exchange(attempt->second, failed)};
  if (run.trials == 0) run.first_unix_ms = row.unix_ms;
  for (auto* last : {&run.last_unix_ms, &device.last_unix_ms}) *last = std::max(*last, row.unix_ms);
  for (auto* trials : {&run.trials, &task.trials}) *trials += is_first;
  for (auto* failures : {&run.failed, &task.failed}) *failures += more_failed;
  ++device.measured;
  device.failed += failed;
  device.noisy += row.noisy;
  followed.rate.Count(row.unix_ms);
  device_rate.Count(row.unix_ms);
  if (!row.key.empty()) run.keys.insert(row.key);
  followed.lost_in_a_row = row.fate == Fate::kRunnerLost ? followed.lost_in_a_row + 1 : 0;
  if (failed) ++task.fates[row.fate];
  if (failed || row.noisy || row.min_ns <= 0) return;
  task.NotePoint(row.min_ns, row.schedule, row.config);
  if (task.first_ns == 0) run.SetFirst(task, row.min_ns, row.unix_ms);
  if (task.best_ns > 0 && row.min_ns >= task.best_ns) return;
  task.best_ns = row.min_ns;
  task.schedule = row.schedule;
  task.config = row.config;
  run.NoteGain(row.unix_ms);
}

// A record of any run may change what a build takes of a workload.
void TuningWatch::Unsettle(const TrialRow& row, Followed& followed) {
  const auto index = followed.task_of.find(row.workload);
  if (index == followed.task_of.end()) return;
  const WatchedTask& task = followed.run.tasks[index->second];
  if (task.trials + task.finals == 0) return;
  const bool is_best = row.schedule == task.schedule && row.config == task.config;
  const bool is_default = row.schedule == task.default_schedule && row.config == task.default_config;
  const bool may_win = row.fate == Fate::kOk && !row.noisy && (task.best_ns == 0 || row.min_ns < task.best_ns);
  if (row.held > 0 || is_best || is_default || may_win) followed.unsettled.insert(index->second);
}

void TuningWatch::Settle(const RecordStore& store, Followed& followed, RowsByWorkload& known) {
  WatchedRun& run = followed.run;
  for (const size_t index : std::exchange(followed.unsettled, {})) {
    WatchedTask& task = run.tasks[index];
    const auto [read, is_new] = known.try_emplace(task.workload);
    if (is_new) read->second = store.Rows(task.workload);
    const std::vector<BestRow>& rows = read->second;
    const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const BestRow& r) { return r.session == run.id; });
    if (last == rows.rend()) continue;
    const std::vector<BestRow> ranked = RankInSetup(rows, [&](const BestRow& row) { return row.setup == last->setup; });
    task.best_ns = ranked.empty() ? 0 : ranked.front().worth_ns;
    task.schedule = ranked.empty() ? "" : ranked.front().schedule();
    task.config = ranked.empty() ? "" : ranked.front().config();
    const int64_t default_ns = NsInSetup(ranked, CandidateText(task.default_schedule, task.default_config));
    if (default_ns > 0) run.SetFirst(task, default_ns, run.last_unix_ms);
  }
  run.NoteGain(run.last_unix_ms);
}

void TuningWatch::ReadRun(const RecordStore& store, Followed& followed) {
  WatchedRun& run = followed.run;
  if (!followed.has_new_trials && run.state != "running") return;
  followed.has_new_trials = false;
  const std::optional<TuningRun> said = store.GetRun(run.id);
  if (!said) return;
  run.state = said->state;
  run.has_ended = run.state != "running";
  if (followed.json == said->json) return;
  followed.json = said->json;
  const Json asked = AskedOf(*said);
  run.model = TextOr(asked, "model");
  run.target = TextOr(asked, "target");
  run.strategy = TextOr(asked, "strategy");
  run.threads = static_cast<int>(IntegerOr(asked, "threads", 1));
  const Json budget = asked.contains("budget") ? asked["budget"] : Json::object();
  run.budget_trials = IntegerOr(budget, "trials", 0);
  run.budget_ms = IntegerOr(budget, "ms", 0);
  run.begun_unix_ms = IntegerOr(budget, "begun_unix_ms", 0);
  if (!asked.contains("tasks") || !asked["tasks"].is_array()) return;
  for (const Json& task : asked["tasks"]) {
    if (!task.is_object()) continue;
    const std::string workload = TextOr(task, "workload");
    const auto [index, is_new] = followed.task_of.try_emplace(workload, run.tasks.size());
    if (is_new) run.tasks.emplace_back();
    run.tasks[index->second].workload = workload;
    WatchedTask& watched = run.tasks[index->second];
    watched.node = TextOr(task, "node");
    watched.uses = std::max<int64_t>(0, IntegerOr(task, "uses", 0));
    if (!task.contains("default") || !task["default"].is_object()) continue;
    watched.default_schedule = TextOr(task["default"], "schedule");
    watched.default_config = TextOr(task["default"], "config");
  }
}

WatchedStore TuningWatch::State(int64_t now_unix_ms) const {
  WatchedStore state;
  state.arrived = seen_;
  std::map<std::pair<std::string, std::string>, WatchedDevice> devices;
  for (const auto& [id, followed] : runs_) {
    WatchedRun run = followed.run;
    const bool runs = run.state == "running";
    if (run.last_unix_ms < now_unix_ms - (runs ? kDayMs : kHourMs)) continue;
    if (runs && run.last_unix_ms < now_unix_ms - kSilentMs) run.state = "silent";
    if (runs && followed.lost_in_a_row >= kLostInARow) run.state = "runners lost";
    const bool is_running = run.state == "running";
    if (is_running) run.per_second = followed.rate.PerSecond(now_unix_ms);
    if (is_running && run.budget_ms > 0 && run.begun_unix_ms > 0) {
      run.budget_left_ms = std::clamp<int64_t>(run.begun_unix_ms + run.budget_ms - now_unix_ms, 0, run.budget_ms);
    }
    state.runs.push_back(std::move(run));
    for (const auto& [name, measuring] : followed.devices) {
      WatchedDevice& device = devices[name];
      const WatchedDevice& part = measuring.device;
      std::tie(device.machine, device.runner) = name;
      device.measured += part.measured;
      device.failed += part.failed;
      device.noisy += part.noisy;
      device.last_unix_ms = std::max(device.last_unix_ms, part.last_unix_ms);
      if (is_running) device.per_second += measuring.rate.PerSecond(now_unix_ms);
    }
  }
  for (auto& [name, device] : devices) state.devices.push_back(std::move(device));
  // Sorts by fields that do not change, so that no run moves while it is looked at.
  std::stable_sort(state.runs.begin(), state.runs.end(), [](const WatchedRun& a, const WatchedRun& b) {
    const bool a_runs = a.state == "running", b_runs = b.state == "running";
    return a_runs != b_runs ? a_runs : a.first_unix_ms > b.first_unix_ms;
  });
  return state;
}

}  // namespace hone
