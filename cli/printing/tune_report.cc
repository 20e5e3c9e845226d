#include "cli/printing/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/printing/built_model_text.h"
#include "core/text/printable.h"
#include "lab/text/dispatch_table.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kLayerColumns = 25;

// The layer's name in the model. A longer one keeps its end, which tells layers apart.
std::string LayerText(const TaskReport& task, size_t most) {
  const std::string name = task.nodes.empty() ? WorkloadShapeText(task.workload.ToText()) : task.nodes.front();
  return name.size() <= most ? name : fmt::format("~{}", name.substr(name.size() + 1 - most));
}

std::string CostsText(const TuneReport& report) {
  const int64_t search_ns = report.elapsed_ns - report.finals_ns;
  if (report.trials == 0 || search_ns <= 0) return "";
  const TuneCosts& costs = report.costs;
  const std::vector<int> share =
      Percents({costs.compile_ns, costs.verify_ns, costs.timing_ns, costs.other_ns(search_ns)});
  return fmt::format("wall time: compile {} %, verify {} %, timing {} %, other {} %\n", share[0], share[1], share[2],
                     share[3]);
}

double Gflops(const TaskReport& task) {
  return task.best_ns > 0 ? task.workload.Flops() / static_cast<double>(task.best_ns) : 0;
}

// The peak is that of float32 multiply-adds, which says nothing about kernels of bytes. 0: unknown.
double ShareOfPeak(const TaskReport& task, double peak_gflops) {
  const bool is_float = task.workload.types.accumulator == DType::kFloat32;
  return peak_gflops > 0 && is_float ? Gflops(task) / peak_gflops : 0;
}

Json FinalsJson(const FinalsReport& finals) {
  if (finals.held == 0) return nullptr;
  return {{"held", finals.held},
          {"finalists", finals.finalists},
          {"best", MedianJson(finals.best)},
          {"incumbent", MedianJson(finals.incumbent)},
          {"replaced", finals.replaced},
          {"in_model", finals.in_model},
          {"gain", finals.gain},
          {"p", finals.p}};
}

std::string FinalsText(const FinalsReport& finals) {
  if (finals.held == 0) return "not held";
  if (finals.in_model) return "another in the built model";
  if (!finals.replaced) return "no significant difference";
  return fmt::format("{:.1f} % faster, p {:.3f}", 100 * finals.gain, finals.p);
}

// FinalsText in a few columns: by how much the winner is faster, or that the built model has another.
std::string ShortFinalsText(const FinalsReport& finals) {
  if (finals.held == 0) return "-";
  if (finals.in_model) return "in model";
  return finals.replaced ? fmt::format("{:.1f} %", 100 * finals.gain) : "same";
}

std::string FailureText(const FailureReport& failure) {
  return fmt::format("{}{}{}", FateName(failure.fate), failure.message.empty() ? "" : ": ", failure.message);
}

Json FailureJson(const FailureReport& failure) {
  if (failure.trials == 0) return nullptr;
  return {{"fate", FateName(failure.fate)}, {"message", failure.message}, {"trials", failure.trials}};
}

Json TaskJson(const TaskReport& task, double peak_gflops) {
  return {{"task", task.workload.ToText()},
          {"nodes", task.nodes},
          {"uses", task.uses},
          {"trials", task.trials},
          {"failed", task.failed},
          {"seeded", task.seeded},
          {"failure", FailureJson(task.failure)},
          {"default_ns", task.default_ns},
          {"default",
           {{"schedule", task.default_schedule}, {"config", task.default_config}, {"source", task.default_source}}},
          {"analytic_ns", task.analytic_ns},
          {"best_ns", task.best_ns},
          {"schedule", task.best_schedule},
          {"config", task.best_config},
          {"stopped", task.stopped},
          {"gflops", Gflops(task)},
          {"share_of_peak", ShareOfPeak(task, peak_gflops)},
          {"finals", FinalsJson(task.finals)}};
}

// Why a task has no best kernel; empty if it has one.
std::string WhyNoBest(const TaskReport& task) {
  const FailureReport& failure = task.failure;
  if (failure.trials > 0) {
    return fmt::format("none: {} of {} {}", failure.trials, Counted(task.trials, "trial"), FailureText(failure));
  }
  if (task.best_ns > 0 || task.trials <= task.failed) return "";
  return "none: all trials that worked were noisy (others had the cores); no build takes them";
}

// Numbers from 1 on: "1 to 3, 7".
std::string TaskNumbers(const std::vector<size_t>& tasks) {
  std::string text;
  for (size_t begin = 0; begin < tasks.size();) {
    size_t end = begin;
    while (end + 1 < tasks.size() && tasks[end + 1] == tasks[end] + 1) ++end;
    text += fmt::format("{}{}", begin > 0 ? ", " : "", tasks[begin] + 1);
    if (end > begin) text += fmt::format(" to {}", tasks[end] + 1);
    begin = end + 1;
  }
  return text;
}

// The tasks without a best kernel, those with one reason together.
std::string WithoutBestText(const TuneReport& report) {
  std::vector<std::pair<std::string, std::vector<size_t>>> reasons;
  for (size_t i = 0; i < report.tasks.size(); ++i) {
    const std::string why = WhyNoBest(report.tasks[i]);
    if (why.empty()) continue;
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == why; });
    if (known == reasons.end()) {
      reasons.push_back({why, {i}});
    } else {
      known->second.push_back(i);
    }
  }
  std::string text;
  for (const auto& [why, tasks] : reasons) {
    text += fmt::format("{:>4}  {}\n", TaskNumbers(tasks), fmt::join(Wrapped(why, kColumns - 6), "\n      "));
  }
  return text;
}

// Workloads, schedules and configs are longer than the table's rows.
std::string BestText(const TuneReport& report, bool wide) {
  std::string text = wide ? "" : WithoutBestText(report);
  for (size_t i = 0; wide && i < report.tasks.size(); ++i) {
    const TaskReport& task = report.tasks[i];
    text += fmt::format("{:>4}  {}\n", i + 1, task.workload.ToText());
    if (task.best_ns > 0) text += fmt::format("      {} {}\n", task.best_schedule, task.best_config);
    if (const std::string why = WhyNoBest(task); !why.empty()) text += fmt::format("      {}\n", why);
  }
  return text.empty() ? "" : "best:\n" + text;
}

std::string SeededText(const TuneReport& report) {
  int64_t seeded = 0;
  for (const TaskReport& task : report.tasks) seeded += task.seeded;
  return seeded == 0 ? "" : fmt::format("{} of the trials were other tuners' configs, as imported\n", seeded);
}

std::string UnansweredText(const TuneReport& report) {
  std::string text;
  if (report.not_judged > 0) {
    text = fmt::format("{} candidate{} not judged here, and not recorded: {}\n", report.not_judged,
                       report.not_judged == 1 ? " was" : "s were", report.trouble);
  }
  if (report.to_heal > 0) {
    text += fmt::format(
        "left out: {} of the store with the machine's trouble blamed on a candidate; hone log heal takes such out\n",
        Counted(report.to_heal, "record"));
  }
  if (report.unanswered == 0) return text;
  return text + fmt::format("{} got no answer before the {}\n", Counted(report.unanswered, "job"),
                            report.interrupted ? "run was stopped; the same command measures them" : "run ended");
}

Table WideTable(const TuneReport& report) {
  Table table({"> #", "layer", "task", "> uses", "> analytic", "> default", "> best", "> gain", "> peak", "> trials",
               "> failed", "stopped", "finals"});
  int number = 0;
  for (const TaskReport& task : report.tasks) {
    const double share = ShareOfPeak(task, report.peak_gflops);
    table.Add({fmt::format("{}", ++number), task.nodes.empty() ? "" : task.nodes.front(),
               WorkloadShapeText(task.workload.ToText()), fmt::format("{}", task.uses), TimeText(task.analytic_ns),
               TimeText(task.default_ns), TimeText(task.best_ns), RatioText(task.default_ns, task.best_ns),
               share > 0 ? fmt::format("{:.0f} %", 100 * share) : "-", fmt::format("{}", task.trials),
               fmt::format("{}", task.failed), task.stopped, FinalsText(task.finals)});
  }
  return table;
}

Table NarrowTable(const TuneReport& report) {
  Table table({"> #", "layer", "> default", "> best", "> gain", "> trials", "> finals"});
  int number = 0;
  for (const TaskReport& task : report.tasks) {
    table.Add({fmt::format("{}", ++number), LayerText(task, kLayerColumns), TimeText(task.default_ns),
               TimeText(task.best_ns), RatioText(task.default_ns, task.best_ns), fmt::format("{}", task.trials),
               ShortFinalsText(task.finals)});
  }
  return table;
}

// Shares of the peak are columns of the wide table only.
std::string PeakText(const TuneReport& report, bool wide) {
  if (report.peak_gflops <= 0) return "";
  double greatest_share = 0;
  for (const TaskReport& task : report.tasks) {
    greatest_share = std::max(greatest_share, ShareOfPeak(task, report.peak_gflops));
  }
  return fmt::format("measured peak: {:.1f} GFLOP/s\n{}", report.peak_gflops,
                     wide ? AboveRoofsText(greatest_share) : "");
}

std::string SumText(const TuneReport& report) {
  int64_t best_sum = 0, default_sum = 0, analytic_sum = 0;
  size_t timed = 0;
  bool knows_analytic = true;
  for (const TaskReport& task : report.tasks) {
    if (task.default_ns <= 0 || task.best_ns <= 0) continue;
    ++timed;
    knows_analytic = knows_analytic && task.analytic_ns > 0;
    analytic_sum += task.uses * task.analytic_ns;
    default_sum += task.uses * task.default_ns;
    best_sum += task.uses * task.best_ns;
  }
  std::string text = fmt::format("sum over uses: default {}, best {} ({})", TimeText(default_sum), TimeText(best_sum),
                                 RatioText(default_sum, best_sum));
  if (timed < report.tasks.size()) text += fmt::format(", {} of {}", timed, Counted(report.tasks.size(), "task"));
  if (timed > 0 && knows_analytic) text += fmt::format(";\nthe analytic default takes {}", TimeText(analytic_sum));
  return text + "\n";
}

}  // namespace

std::string ReportText(const TuneReport& report, bool wide) {
  const Table table = wide ? WideTable(report) : NarrowTable(report);
  return table.ToText() + BestText(report, wide) + PeakText(report, wide) + SumText(report) +
         fmt::format("{} in {:.0f} s ({:.1f}/s), finals {:.0f} s, {} known from before{}\n",
                     Counted(report.trials, "trial"), static_cast<double>(report.elapsed_ns - report.finals_ns) / 1e9,
                     report.trials_per_second, static_cast<double>(report.finals_ns) / 1e9, report.resumed,
                     report.interrupted ? "; interrupted" : "") +
         CostsText(report) + SeededText(report) + UnansweredText(report);
}

std::string NoRunnerText(const TuneReport& report, const std::string& store) {
  const int64_t kept = report.trials + report.resumed;
  return fmt::format("{}; {} of this run {} kept in {}, and the same command goes on with {}", report.no_runner,
                     Counted(kept, "trial"), kept == 1 ? "is" : "are", store, kept == 1 ? "it" : "them");
}

std::string WhyNothingWorked(const TuneReport& report) {
  const std::vector<TaskReport>& tasks = report.tasks;
  if (tasks.empty() || std::any_of(tasks.begin(), tasks.end(), [](const TaskReport& t) { return t.measured(); }))
    return "";
  int64_t trials = 0;
  for (const TaskReport& task : tasks) trials += task.trials;
  if (trials == 0 && report.unanswered > 0) {
    return fmt::format(
        "nothing was measured: no runner answered {} before the budget ended; `hone devices` lists "
        "those that are there",
        Counted(report.unanswered, "job"));
  }
  if (trials == 0)
    return "no trial was made: the budget was spent, or other tuners measure all that is left; a larger budget is "
           "right";
  const auto worst = std::max_element(tasks.begin(), tasks.end(), [](const TaskReport& a, const TaskReport& b) {
    return a.failure.trials < b.failure.trials;
  });
  return fmt::format("no kernel of {} could be measured: {} of {} failed, as {}", Counted(tasks.size(), "task"), trials,
                     Counted(trials, "trial"), FailureText(worst->failure));
}

Json ReportJson(const TuneReport& report) {
  Json tasks = Json::array();
  for (const TaskReport& task : report.tasks) tasks.push_back(TaskJson(task, report.peak_gflops));
  return {{"event", "done"},
          {"trials", report.trials},
          {"resumed", report.resumed},
          {"elapsed_ns", report.elapsed_ns},
          {"trials_per_second", report.trials_per_second},
          {"finals_ns", report.finals_ns},
          {"peak_gflops", report.peak_gflops},
          {"interrupted", report.interrupted},
          {"unanswered", report.unanswered},
          {"no_runner", report.no_runner},
          {"to_heal", report.to_heal},
          {"not_compiled", report.not_judged},
          {"compile_ns", report.costs.compile_ns},
          {"verify_ns", report.costs.verify_ns},
          {"timing_ns", report.costs.timing_ns},
          {"other_ns", report.costs.other_ns(report.elapsed_ns - report.finals_ns)},
          {"tasks", tasks}};
}

}  // namespace hone
