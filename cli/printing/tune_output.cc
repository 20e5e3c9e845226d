#include "cli/printing/tune_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/printable.h"
#include "lab/text/dispatch_table.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"

namespace hone {

void TimeLeft::Trial(int64_t trial, int64_t elapsed_ns) {
  trial_ = trial;
  now_ns_ = elapsed_ns;
  elapsed_ns_.push_back(elapsed_ns);
}

std::optional<int64_t> TimeLeft::Ns() const {
  std::optional<int64_t> left_ns;
  if (budget_.time_ns > 0 && now_ns_ > 0) left_ns = budget_.time_ns - now_ns_;
  if (budget_.trials > 0 && !elapsed_ns_.empty()) {
    // Trials arrive in batches, all with the time at which the batch ended.
    const size_t half = elapsed_ns_.size() / 2;
    const int64_t span_ns = elapsed_ns_.back() - (half == 0 ? 0 : elapsed_ns_[half - 1]);
    const double per_trial_ns = static_cast<double>(span_ns) / static_cast<double>(elapsed_ns_.size() - half);
    const auto by_trials_ns = static_cast<int64_t>(per_trial_ns * static_cast<double>(budget_.trials - trial_));
    left_ns = left_ns ? std::min(*left_ns, by_trials_ns) : by_trials_ns;
  }
  return left_ns && *left_ns > 0 ? left_ns : std::nullopt;
}

namespace {

constexpr int64_t kQuietNs = 10'000'000'000;

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string LeftText(std::optional<int64_t> left_ns) {
  return left_ns ? fmt::format(", up to {:.0f} s left", Seconds(*left_ns)) : "";
}

// "model 24.261 ms (about 1.03x)": the sum over the uses of its tasks. Only finals time the default and the best in
// turns; before them the best is the least of many times, and the default has one.
std::string ModelText(const TuneEvent& event, size_t tasks) {
  if (event.model_ns == 0) return fmt::format("{} of {} timed", event.tasks_timed, Counted(tasks, "task"));
  const std::string model = fmt::format("model {:.3f} ms", static_cast<double>(event.model_ns) / 1e6);
  if (event.model_default_ns == 0) return model;
  return fmt::format("{} ({}{})", model, event.kind == TuneEventKind::kFinals ? "" : "about ",
                     RatioText(event.model_default_ns, event.model_ns));
}

std::string TaskText(const TuneEvent& event) { return event.node.empty() ? WorkloadShapeText(event.task) : event.node; }

}  // namespace

TuneOutput::TuneOutput(bool json, bool terminal, size_t tasks, const Budget& budget)
    : json_(json), status_(terminal), tasks_(tasks), left_(budget) {}

std::string TuneOutput::Status(const TuneEvent& event) const {
  return fmt::format("{}{}; {}, {} failed{}", ModelText(event, tasks_), LeftText(left_.Ns()), Counted(trials_, "trial"),
                     failed_, event.runners == 1 ? "" : fmt::format(", {}", Counted(event.runners, "runner")));
}

void TuneOutput::Observe(const TuneEvent& event) {
  if (json_) {
    const bool is_repeated = event.kind == TuneEventKind::kWaiting && waits_since_ns_ && !event.why.empty();
    // The report is the closing object instead, because it says more than the event.
    if (event.kind != TuneEventKind::kDone && !is_repeated) PrintJson(EventJson(event));
    if (event.kind == TuneEventKind::kWaiting) waits_since_ns_ = event.why.empty() ? std::nullopt : std::optional(0);
    FlushStdout();
    return;
  }
  if (event.kind == TuneEventKind::kFinals) return ObserveFinals(event);
  if (event.kind == TuneEventKind::kWaiting) return ObserveWaiting(event);
  if (event.kind != TuneEventKind::kTrial) return;
  ++trials_;
  left_.Trial(event.trial, event.elapsed_ns);
  if (event.fate != Fate::kOk) ++failed_;
  ShowOrNote(event, Status(event), "; " + TaskText(event));
}

// `more` has room on a terminal, where the line is cut.
void TuneOutput::ShowOrNote(const TuneEvent& event, const std::string& status, const std::string& more) {
  status_.Show(status + more);
  if (status_.terminal() || event.elapsed_ns - last_line_ns_ < kQuietNs) return;
  last_line_ns_ = event.elapsed_ns;
  Note("{}\n", status);
}

void TuneOutput::ObserveFinals(const TuneEvent& event) {
  ShowOrNote(event, fmt::format("{}; finals of {} of {}", ModelText(event, tasks_), ++finals_, Counted(tasks_, "task")),
             "; " + TaskText(event));
}

void TuneOutput::ObserveWaiting(const TuneEvent& event) {
  const bool begins = !waits_since_ns_;
  const int64_t waited_ns = event.elapsed_ns - waits_since_ns_.value_or(event.elapsed_ns);
  if (begins || event.why.empty()) status_.Clear();
  if (event.why.empty()) {
    waits_since_ns_.reset();
    return Note("a runner is there again after {:.0f} s\n", Seconds(waited_ns));
  }
  if (begins) {
    waits_since_ns_ = last_line_ns_ = event.elapsed_ns;
    Note("{}, waiting\n", event.why);
  }
  left_.Waited(event.elapsed_ns);
  ShowOrNote(event, fmt::format("waiting for {:.0f} s{}: {}", Seconds(waited_ns), LeftText(left_.Ns()), event.why), "");
}

void TuneOutput::Finish() { status_.Keep(); }

Json EventJson(const TuneEvent& event) {
  static constexpr const char* kKinds[] = {"trial", "task", "done", "finals", "waiting"};
  Json json = {{"event", kKinds[static_cast<size_t>(event.kind)]},
               {"task", event.task},
               {"node", event.node},
               {"trial", event.trial},
               {"fate", FateName(event.fate)},
               {"min_ns", event.min_ns},
               {"best_ns", event.best_ns},
               {"default_ns", event.default_ns},
               {"model_ns", event.model_ns},
               {"model_default_ns", event.model_default_ns},
               {"elapsed_ns", event.elapsed_ns},
               {"schedule", event.schedule},
               {"config", event.config},
               {"runners", event.runners}};
  if (event.kind == TuneEventKind::kWaiting) json["why"] = event.why;
  return json;
}

}  // namespace hone
