#include "lab/dashboard/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/text/printable.h"
#include "lab/report/page.h"

namespace hone {
namespace {

constexpr int64_t kTriedEnough = 8;     // trials of a task before its failures count
constexpr double kMostlyFailed = 0.75;  // share of failed trials that is a problem
constexpr size_t kMostProblems = 50;

bool HasRunner(const TrackerStatus& status, const std::set<std::string>& keys) {
  return std::any_of(status.runners.begin(), status.runners.end(),
                     [&](const RunnerInfo& r) { return r.state != "lost" && keys.contains(r.key); });
}

std::string RunnerText(const RunnerInfo& runner) {
  return fmt::format("Runner {}/{} is {}{}{}", runner.key, runner.label, runner.state,
                     runner.health.empty() ? "" : ": ", runner.health);
}

void AddRunners(const WatchedFleet& fleet, std::vector<std::string>& problems) {
  if (!fleet.status) return;
  for (const char* state : {"lost", "quarantined", "probation"}) {
    for (const RunnerInfo& runner : fleet.status->runners) {
      if (runner.state == state) problems.push_back(RunnerText(runner) + ".");
    }
  }
  for (const QueueInfo& queue : fleet.status->queues) {
    if (queue.waiting > 0 && !HasRunner(*fleet.status, {queue.key})) {
      problems.push_back(fmt::format("{} tuner{} for device key {}, which no runner offers.", queue.waiting,
                                     queue.waiting == 1 ? " waits" : "s wait", queue.key));
    }
  }
}

std::string ReasonText(const WatchedRun& run, const std::string& keys) {
  if (run.state == "tracker lost") return "its tracker does not answer";
  if (run.state == "runners lost") return fmt::format("no runner of {} is left", keys);
  return "it waits, compiles or was killed";
}

std::string StandstillText(const WatchedRun& run) {
  const std::string keys = fmt::format("{}", fmt::join(run.keys, ", "));
  if (run.has_ended) {
    return fmt::format("Tuning of {} ended because no runner of {} was free; the same command goes on with it.",
                       run.model, keys);
  }
  return fmt::format("Tuning of {} has had no trial for a minute: {}.", run.model, ReasonText(run, keys));
}

void AddTasks(const WatchedRun& run, std::vector<std::string>& problems) {
  for (const WatchedTask& task : run.tasks) {
    if (task.trials < kTriedEnough) continue;
    if (static_cast<double>(task.failed) < kMostlyFailed * static_cast<double>(task.trials)) continue;
    const auto most = std::max_element(task.fates.begin(), task.fates.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    problems.push_back(
        fmt::format("{} of {} trials of {} in {} failed{}.", task.failed, task.trials, task.Name(), run.model,
                    most == task.fates.end() ? "" : fmt::format(", mostly by {}", FateName(most->first))));
  }
}

}  // namespace

void JudgeSilentRuns(const WatchedFleet& fleet, WatchedStore& store) {
  for (WatchedRun& run : store.runs) {
    if (run.state != "silent" || run.keys.empty() || fleet.source.name.empty()) continue;
    if (!fleet.source.trouble.empty()) {
      run.state = "tracker lost";
    } else if (fleet.status && !HasRunner(*fleet.status, run.keys)) {
      run.state = "runners lost";
    }
  }
}

std::vector<std::string> ProblemsOf(const Source& source, const WatchedStore& store, const WatchedFleet& fleet) {
  std::vector<std::string> problems;
  if (!source.trouble.empty()) problems.push_back(fmt::format("The store does not answer: {}.", source.trouble));
  if (!fleet.source.trouble.empty()) {
    problems.push_back(fmt::format("The tracker does not answer: {}.", fleet.source.trouble));
  }
  AddRunners(fleet, problems);
  for (const WatchedRun& run : store.runs) {
    if (run.state == "running" || run.state == "done" || run.state == "interrupted") continue;
    problems.push_back(StandstillText(run));
  }
  for (const WatchedRun& run : store.runs) AddTasks(run, problems);
  if (problems.size() > kMostProblems) {
    const size_t others = problems.size() - kMostProblems;
    problems.resize(kMostProblems);
    problems.push_back(Counted(others, "more problem") + ".");
  }
  return problems;
}

std::vector<Section> ProblemSections(const std::vector<std::string>& problems) {
  std::string html = "<h2>Problems</h2>\n";
  if (problems.empty())
    return {{"problems", html + "<p role=\"status\"><span class=\"state good\">None.</span></p>\n"}};
  // A screen reader speaks their number, because their texts have numbers that change often.
  html += fmt::format("<p role=\"status\">{}.</p>\n<ul class=\"problems\">", Counted(problems.size(), "problem"));
  for (const std::string& problem : problems) html += fmt::format("<li>{}</li>", Escaped(problem));
  return {{"problems", html + "</ul>\n"}};
}

}  // namespace hone
