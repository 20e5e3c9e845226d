// The events of a tuning run while it goes on, and its report.
#include <fmt/format.h>

#include "tuner/best_by_records.h"
#include "tuner/trial.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

bool Usable(const BestRow& row, const SearchSpace& space) {
  const Schedule* schedule = space.Find(row.schedule());
  return schedule != nullptr && schedule->version() == row.schedule_version &&
         space.Valid({row.schedule(), Config::Parse(row.config())});
}

}  // namespace

void TuningLoop::Emit(TuneEventKind kind, const TuningTask* task, const Trial* trial) const {
  if (!observe_) return;
  TuneEvent event;
  event.kind = kind;
  event.trial = resumed_ + trials_;
  event.elapsed_ns = elapsed_ns();
  event.runners = static_cast<int>(runner_.Machines().size());
  SumUp(event);
  if (task != nullptr) {
    event.task = task->text();
    if (!task->report().nodes.empty()) event.node = task->report().nodes.front();
    event.best_ns = task->best_ns();
    event.default_ns = task->default_ns();
    event.schedule = task->report().best_schedule;
    event.config = task->report().best_config;
  }
  if (trial != nullptr) {
    event.fate = trial->measurement.fate;
    event.min_ns = trial->measurement.fate == Fate::kOk ? trial->measurement.MinNs() : 0;
    event.schedule = trial->proposal.schedule;
    event.config = trial->proposal.config.ToText();
  }
  observe_(event);
}

void TuningLoop::EmitWaiting(const std::string& why) const {
  if (!observe_) return;
  TuneEvent event;
  event.kind = TuneEventKind::kWaiting;
  event.trial = resumed_ + trials_;
  event.elapsed_ns = elapsed_ns();
  event.runners = static_cast<int>(runner_.Machines().size());
  SumUp(event);
  event.why = why;
  observe_(event);
}

std::string TuningLoop::WhyNoRunner() const {
  if (watch_.why().empty()) return "";
  if (watch_.is_over()) {
    return fmt::format("{} for {:.0f} s", watch_.why(), static_cast<double>(options_.runner_patience_ns) / 1e9);
  }
  return unanswered_ > 0 || TimeLeftNs() <= 0 ? watch_.why() + " when the budget ended" : "";
}

void TuningLoop::SumUp(TuneEvent& event) const {
  bool has_defaults = true;
  for (const TuningTask& task : tasks_) {
    event.tasks_timed += task.best_ns() > 0;
    has_defaults = has_defaults && task.default_ns() > 0;
    event.model_ns += task.report().uses * task.best_ns();
    event.model_default_ns += task.report().uses * task.default_ns();
  }
  if (event.tasks_timed < static_cast<int>(tasks_.size())) event.model_ns = 0;
  if (!has_defaults) event.model_default_ns = 0;
}

TuneReport TuningLoop::Report() {
  TuneReport report;
  report.setup = here_.setup;
  report.interrupted = stopping();
  if (!report.interrupted) report.no_runner = WhyNoRunner();
  const char* const why = report.interrupted ? "interrupted" : report.no_runner.empty() ? "budget" : "no runner";
  for (TuningTask& task : tasks_) {
    if (!task.stopped()) StopTask(task, why);
    report.tasks.push_back(task.report());
    const auto usable = [&](const BestRow& row) { return Usable(row, task.space()); };
    const std::string& text = task.text();
    TakeBest(tools_.rows ? tools_.rows(text) : store_.Rows(text), here_.setup, usable, report.tasks.back());
  }
  report.trials = trials_;
  report.resumed = resumed_;
  report.elapsed_ns = elapsed_ns();
  report.costs = costs_.Within(report.elapsed_ns - finals_ns_);
  report.unanswered = unanswered_;
  report.not_judged = troubles_.not_judged();
  report.trouble = troubles_.last().reason;
  report.to_heal = to_heal_;
  report.finals_ns = finals_ns_;
  if (report.elapsed_ns > finals_ns_) {
    report.trials_per_second = static_cast<double>(trials_) * 1e9 / static_cast<double>(report.elapsed_ns - finals_ns_);
  }
  return report;
}

}  // namespace hone
