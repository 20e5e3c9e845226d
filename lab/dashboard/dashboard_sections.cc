#include "lab/dashboard/dashboard_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/json/serialize.h"
#include "core/text/printable.h"
#include "db/foreign/record_exports.h"
#include "lab/machine/fleet_table.h"
#include "lab/records/records.h"
#include "lab/report/chart.h"
#include "lab/report/charts.h"
#include "lab/report/conclusion.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"

namespace hone {

SectionBoard::SectionBoard(size_t groups) : groups_(groups) {}

bool SectionBoard::Put(size_t group, std::vector<Section> sections) {
  const std::lock_guard lock(mutex_);
  std::vector<Shown>& before = groups_.at(group);
  std::vector<Shown> after;
  bool changed = sections.size() != before.size();
  for (size_t i = 0; i < sections.size(); ++i) {
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const Shown& shown) { return shown.section.id == sections[i].id; });
    const bool same = known != before.end() && known->section.html == sections[i].html;
    changed = changed || !same || before[i].section.id != sections[i].id;
    after.push_back({std::move(sections[i]), same ? known->version : version_ + 1});
  }
  if (!changed) return false;
  ++version_;
  before = std::move(after);
  return true;
}

std::string SectionBoard::TextSince(int64_t version) const {
  Json order = Json::array(), html = Json::object();
  for (const std::vector<Shown>& group : groups_) {
    for (const Shown& shown : group) {
      order.push_back(shown.section.id);
      if (shown.version > version) html[shown.section.id] = shown.section.html;
    }
  }
  return fmt::format("id: {}\nevent: sections\ndata: {}\n\n", version_,
                     DumpJson({{"order", std::move(order)}, {"html", std::move(html)}}));
}

SectionBoard::Update SectionBoard::Since(int64_t version) const {
  const std::lock_guard lock(mutex_);
  if (version >= version_) return {nullptr, version_};
  if (last_.version != version_ || last_from_ != version) {
    last_ = {std::make_shared<const std::string>(TextSince(version)), version_};
    last_from_ = version;
  }
  return last_;
}

std::string SectionBoard::Html() const {
  const std::lock_guard lock(mutex_);
  std::string html;
  for (const std::vector<Shown>& group : groups_) {
    for (const Shown& shown : group) {
      html += fmt::format("<section id=\"{}\">{}</section>\n", shown.section.id, shown.section.html);
    }
  }
  return html;
}

namespace {

constexpr size_t kMostCompared = 8, kMostCharts = 4, kMostKnobs = 40;
constexpr size_t kMostLiveTasks = 200, kMostRunners = 500, kMostDevices = 100;

std::string Heading(std::string_view text) { return fmt::format("<h2>{}</h2>\n", Escaped(text)); }

// "2026-11-22 22:50:00 UTC": a moment rather than an age, so that an unchanged section keeps its text.
std::string Moment(int64_t unix_ms) {
  std::string text = UtcText(unix_ms).substr(0, 19);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text + " UTC";
}

std::string RateText(double per_second) { return per_second > 0 ? fmt::format("{:.1f}", per_second) : "-"; }

// A text that a screen reader speaks whenever it changes, so it contains no number that changes all the time.
std::string Said(const std::string& text, bool is_trouble) {
  return fmt::format("<p role=\"status\"{}>{}</p>\n", is_trouble ? " class=\"trouble\"" : "", Escaped(text));
}

std::string StoreSays(const Source& source, const WatchedStore& store) {
  if (source.is_awaited) return Said(NoStoreYet(source.name) + ", and this page fills then.", false);
  if (!source.trouble.empty()) {
    return Said(fmt::format("The store {} does not answer since {}: {}. What is shown below is from before.",
                            source.name, Moment(source.since_unix_ms), source.trouble),
                true);
  }
  const auto of_state = [&store](std::string_view state) {
    return std::count_if(store.runs.begin(), store.runs.end(), [&](const WatchedRun& r) { return r.state == state; });
  };
  const auto running = of_state("running"), silent = of_state("silent");
  std::string text = fmt::format("Store {}: {} running", source.name, Counted(running, "tuning"));
  if (silent > 0) text += fmt::format(", {} silent", silent);
  return Said(text, false);
}

// An id of letters, digits and '-' only, whatever characters the run's name has.
std::string IdOf(const std::string& run) {
  std::string id = "run-";
  for (const char letter : run) {
    const bool fits = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z');
    id += fits ? std::string(1, letter) : fmt::format("-{:02x}", static_cast<unsigned char>(letter));
  }
  return id;
}

std::string SpanText(int64_t ms) {
  const int64_t seconds = (ms + 500) / 1000;
  return seconds >= 7200  ? fmt::format("{:.1f} h", static_cast<double>(seconds) / 3600)
         : seconds >= 120 ? fmt::format("{} min", seconds / 60)
                          : fmt::format("{} s", seconds);
}

// The budget, the time left of it and when that is over: "10 min, 240 s left, until 10:35:00"; "-" for a run that does
// not say.
std::string BudgetText(const WatchedRun& run) {
  std::vector<std::string> parts;
  if (run.budget_ms > 0) {
    parts.push_back(SpanText(run.budget_ms));
    if (run.begun_unix_ms > 0 && run.state == "running") {
      parts.push_back(SpanText(run.budget_left_ms) + " left");
      parts.push_back("until " + Moment(run.begun_unix_ms + run.budget_ms).substr(11));
    }
  }
  if (run.budget_trials > 0) parts.push_back(fmt::format("{} of {}", run.trials, Counted(run.budget_trials, "trial")));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

HistoryLine CurveOf(const WatchedRun& run, const std::string& label, double scale) {
  HistoryLine line{label, {}};
  for (const auto& [ms, ns] : run.Curve()) {
    line.points.emplace_back(static_cast<double>(ms) / 1e3, static_cast<double>(ns) * scale);
  }
  return line;
}

// "zoo:resnet-18, 1 thread".
std::string NameOf(const WatchedRun& run) { return fmt::format("{}, {}", run.model, Counted(run.threads, "thread")); }

// The tunings' gains in one chart, as shares of each one's first time.
std::string ComparedRuns(const WatchedStore& store) {
  std::vector<HistoryLine> lines;
  for (const WatchedRun& run : store.runs) {
    const auto curve = run.Curve();
    if (curve.empty() || lines.size() == kMostCompared) continue;
    const double percent = 100 / static_cast<double>(curve.front().second);
    lines.push_back(CurveOf(run, fmt::format("{}, {}", NameOf(run), run.id.substr(0, 6)), percent));
  }
  if (lines.size() < 2) return "";
  return HtmlCharts(HistoryChart(
      {"Tunings compared", "seconds since each one's first trial", "model's time, % of the first", 1, false}, lines));
}

std::string Overview(const WatchedStore& store) {
  double per_second = 0;
  for (const WatchedRun& run : store.runs) per_second += run.per_second;
  std::vector<std::vector<std::string>> rows;
  for (const WatchedRun& run : store.runs) {
    const int64_t first = run.FirstModelNs(), best = run.ModelNs();
    rows.push_back({IdOf(run.id) + " " + run.model, run.state, TimeText(best), RatioText(first, best), BudgetText(run),
                    fmt::format("{} of {}", run.TasksTimed(), run.tasks.size()), fmt::format("{}", run.trials),
                    fmt::format("{}", run.failed), RateText(run.per_second), fmt::format("{}", run.threads),
                    Moment(run.last_unix_ms)});
  }
  std::string html =
      HtmlParagraph(fmt::format("{} {} arrived; {:.1f} trials per second at present.", Counted(store.arrived, "record"),
                                store.arrived == 1 ? "has" : "have", per_second));
  if (rows.empty()) return html + HtmlParagraph("No tuning runs, and none ended within the last hour.");
  return html +
         HtmlTable("Tunings",
                   {"@ model", "= state", "> model's time", "> gain", "budget", "> tasks timed", "> trials", "> failed",
                    "> trials/s", "> threads", "last trial"},
                   rows) +
         ComparedRuns(store);
}

std::vector<const WatchedTask*> HeaviestFirst(const WatchedRun& run) {
  std::vector<const WatchedTask*> tasks;
  for (const WatchedTask& task : run.tasks) tasks.push_back(&task);
  std::stable_sort(tasks.begin(), tasks.end(), [](const WatchedTask* a, const WatchedTask* b) {
    return std::max<int64_t>(a->uses, 1) * a->best_ns > std::max<int64_t>(b->uses, 1) * b->best_ns;
  });
  return tasks;
}

// "tile_oc 1.84x": the knob, and how much slower its worst value is.
std::string KnobText(const WatchedTask& task) {
  const auto knobs = task.KnobsThatMatter();
  return knobs.empty() ? "-" : fmt::format("{} {:.2f}x", knobs[0].first, knobs[0].second);
}

std::string TaskTable(const WatchedRun& run) {
  std::vector<std::vector<std::string>> rows;
  const auto model_ns = static_cast<double>(run.ModelNs());
  for (const WatchedTask* task : HeaviestFirst(run)) {
    if (rows.size() == kMostLiveTasks) break;
    const auto all_ns = static_cast<double>(task->uses * task->best_ns);
    rows.push_back({task->node.empty() ? ShortWorkload(task->workload) : task->node,
                    task->uses > 0 ? fmt::format("{}", task->uses) : "-",
                    model_ns > 0 ? fmt::format("{:.0f} %", 100 * all_ns / model_ns) : "-", TimeText(task->first_ns),
                    TimeText(task->best_ns), RatioText(task->first_ns, task->best_ns), fmt::format("{}", task->trials),
                    fmt::format("{}", task->failed), KnobText(*task), task->finals > 0 ? "held" : "-",
                    task->schedule + " " + task->config, task->workload});
  }
  return HtmlTable("Tasks of " + run.model,
                   {"task, the heaviest first", "> uses", "> of the model", "> first", "> best", "> gain", "> trials",
                    "> failed", "knob that matters most", "finals", "best config", "workload"},
                   rows);
}

std::string RunBody(const WatchedRun& run) {
  std::string html = Heading(NameOf(run));
  const int64_t first = run.FirstModelNs(), best = run.ModelNs();
  html += HtmlTable(
      "State of " + run.model, {"= state", "> model's time", "> gain", "budget", "target", "strategy", "run"},
      {{run.state, TimeText(best), RatioText(first, best), BudgetText(run), run.target, run.strategy, run.id}});
  const size_t timed = static_cast<size_t>(run.TasksTimed());
  const std::string name = timed < run.tasks.size()
                               ? fmt::format("Best time so far of {} of {}", timed, Counted(run.tasks.size(), "task"))
                               : "Best time so far of the whole model";
  return html +
         HtmlCharts(HistoryChart({name, "seconds since the first trial", "model's time, ms", 1e6, false},
                                 {CurveOf(run, run.model, 1)})) +
         TaskTable(run);
}

std::string TrialsChart(const WatchedTask& task) {
  ChartSeries trials{"trials", 0, false, ChartSeries::Style::kPoints, {}};
  ChartSeries best{"least so far", 5, false, ChartSeries::Style::kSteps, {}};
  int64_t least_ns = 0;
  for (const auto& [number, ns] : task.points) {
    const auto x = static_cast<double>(number), us = static_cast<double>(ns) / 1e3;
    trials.points.push_back({x, us, fmt::format("trial {}: {}", number, TimeText(ns))});
    if (least_ns > 0 && ns >= least_ns) continue;
    least_ns = ns;
    best.points.push_back({x, us, fmt::format("least so far at trial {}: {}", number, TimeText(ns))});
  }
  return HtmlChart({"Trials of " + task.Name(),
                    {"trial of the task", false, false, {}},
                    {"time, us", true, false, {}},
                    {std::move(trials), std::move(best)},
                    true});
}

std::string KnobTable(const WatchedRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const WatchedTask* task : HeaviestFirst(run)) {
    for (const auto& [knob, ratio] : task->KnobsThatMatter()) {
      if (rows.size() == kMostKnobs) break;
      rows.push_back({knob, fmt::format("{:.2f}x", ratio), task->schedule, task->Name(), task->workload});
    }
  }
  if (rows.empty()) return "";
  return HtmlParagraph("A knob matters as much as its worst value is slower than its best one.") +
         HtmlTable("Knobs of " + run.model, {"knob", "> worst over best", "schedule", "task", "workload"}, rows);
}

std::string Devices(const WatchedStore& store) {
  std::vector<std::vector<std::string>> rows;
  for (const WatchedDevice& device : store.devices) {
    if (rows.size() == kMostDevices) break;
    rows.push_back({device.machine, device.runner, fmt::format("{}", device.measured), fmt::format("{}", device.failed),
                    fmt::format("{}", device.noisy), RateText(device.per_second), Moment(device.last_unix_ms)});
  }
  return Heading("Devices that measured for these tunings") +
         HtmlTable("Devices",
                   {"machine", "runner", "> measurements", "> failed", "> noisy", "> per second", "last one"}, rows);
}

std::string Queues(const TrackerStatus& status) {
  std::vector<std::vector<std::string>> rows;
  for (const KeyUse& use : UseOfKeys(status)) {
    rows.push_back({use.key, fmt::format("{}", use.busy), fmt::format("{}", use.all),
                    fmt::format("{}", use.queue.waiting), fmt::format("{}", fmt::join(use.queue.who, ", "))});
  }
  return HtmlTable(
      "Queues", {"device key", "> runners in use", "> runners", "> tuners waiting", "who waits, the next first"}, rows);
}

}  // namespace

std::vector<Section> StoreSections(const Source& source, const WatchedStore& store) {
  std::vector<Section> sections = {{"store", Heading("Tunings") + StoreSays(source, store)},
                                   {"overview", Overview(store)}};
  for (const WatchedRun& run : store.runs) sections.push_back({IdOf(run.id), RunBody(run)});
  if (!store.devices.empty()) sections.push_back({"devices", Devices(store)});
  return sections;
}

std::vector<Section> TrialSections(const WatchedStore& store) {
  std::vector<Section> sections;
  for (const WatchedRun& run : store.runs) {
    std::string charts;
    size_t drawn = 0;
    for (const WatchedTask* task : HeaviestFirst(run)) {
      if (drawn++ < kMostCharts) charts += TrialsChart(*task);
    }
    if (charts.empty()) continue;
    sections.push_back({"trials-" + IdOf(run.id),
                        HtmlDetails("Trials and knobs of " + NameOf(run), HtmlCharts(charts) + KnobTable(run))});
  }
  return sections;
}

std::vector<Section> FleetSections(const Source& source, const std::optional<TrackerStatus>& status) {
  std::string html = Heading("Fleet");
  if (!source.trouble.empty()) {
    html +=
        Said(fmt::format("The tracker {} does not answer since {}: {}.{}", source.name, Moment(source.since_unix_ms),
                         source.trouble, status ? " What is shown below is from before." : ""),
             true);
  } else {
    html += Said("Tracker " + source.name + (status ? " answers" : " is asked"), false);
  }
  std::vector<Section> sections = {{"fleet", std::move(html)}};
  if (!status) return sections;
  TextRows rows = RunnerRows(*status);
  std::vector<std::string> headers = rows.front();
  for (std::string& header : headers) {
    if (header == "state") header = "= state";
  }
  rows.erase(rows.begin());
  if (rows.size() > kMostRunners) rows.resize(kMostRunners);
  sections.push_back({"queues", Queues(*status)});
  sections.push_back(
      {"runners", rows.empty() ? HtmlParagraph("No runner is connected.") : HtmlTable("Runners", headers, rows)});
  return sections;
}

}  // namespace hone
