#include "cli/printing/tune_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/printing/built_model_text.h"
#include "cli/printing/tune_report.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

// A task with the widest values.
TaskReport WideTask() {
  TaskReport task;
  task.workload =
      Workload::Parse("nn.conv2d data=1x1024x14x14 weight=2048x1024x1x1 strides=2x2 padding=0x0x0x0 epilogue=residual");
  task.nodes = {"/layer4/layer4.0/downsample/Conv"};
  task.uses = 10;
  task.trials = 1000;
  task.failed = 100;
  task.default_ns = 1'000'000;
  task.best_ns = 800'000;
  task.best_schedule = "conv2d_direct";
  task.best_config = "oc_block=16 ic_block=64 tile_ow=6 tile_oh=2 unroll_ic=1 ic_chunk=256 loop_order=2 prefetch=1";
  task.stopped = "space spent";
  task.finals.held = 1;
  task.finals.finalists = 4;
  task.finals.gain = 0.2;
  task.finals.p = 0.0023;
  task.finals.best = {800'000, 790'000, 812'000};
  return task;
}

TuneReport OneTask() {
  TuneReport report;
  report.tasks = {WideTask()};
  report.trials = 1000;
  report.elapsed_ns = 20'000'000'000;
  report.finals_ns = 3'000'000'000;
  report.peak_gflops = 500;
  return report;
}

std::string Line(const std::string& text, size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (size_t i = 0; i <= number; ++i) std::getline(lines, line);
  return line;
}

void ExpectNoLineOver(size_t columns, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << line;
}

TEST(ReportText, FitsEightyColumnsWithTheModelsLayerNames) {
  TuneReport report = OneTask();
  EXPECT_THAT(Line(ReportText(report), 1), HasSubstr("layer4.0/downsample/Conv "));
  report.tasks.resize(120, report.tasks[0]);
  report.tasks[119].default_ns = 999'990'000;
  report.tasks[119].finals.replaced = true;
  report.tasks[118].trials = 0;
  report.tasks[118].best_ns = report.tasks[118].default_ns = 0;
  report.tasks[118].failure = {Fate::kUnsupported, "a long message of " + std::string(30, 'x') + " many words to wrap",
                               3};
  ExpectNoLineOver(80, ReportText(report));
  EXPECT_THAT(ReportText(report), HasSubstr(" 20.0 %\n"));
}

TEST(ReportText, OfAWideTableHasWorkloadsAndConfigsBelow) {
  TuneReport report = OneTask();
  const std::string wide = ReportText(report, true);
  EXPECT_THAT(wide.substr(wide.find("best:\n")), HasSubstr(report.tasks[0].workload.ToText()));
  EXPECT_THAT(wide.substr(wide.find("best:\n")), HasSubstr(report.tasks[0].best_config));
  EXPECT_THAT(Line(wide, 1), HasSubstr("/layer4/layer4.0/downsample/Conv"));
  EXPECT_THAT(ReportText(report), Not(HasSubstr("oc_block")));
}

TEST(ReportText, SaysWhyItStoppedAndWhatTheFinalsSaid) {
  TuneReport report = OneTask();
  EXPECT_THAT(ReportText(report, true), HasSubstr("space spent"));
  EXPECT_THAT(ReportText(report, true), HasSubstr("no significant difference"));
  EXPECT_THAT(ReportText(report), HasSubstr(" same\n"));
  report.tasks[0].finals.replaced = true;
  EXPECT_THAT(ReportText(report, true), HasSubstr("20.0 % faster, p 0.002"));
  report.tasks[0].finals.held = 0;
  EXPECT_THAT(ReportText(report, true), HasSubstr("not held"));
}

TEST(ReportText, GivesTheShareOfTheMeasuredPeak) {
  TuneReport report = OneTask();
  // 2 * 1024 * 2048 * 49 flop in 800 us are 257 GFLOP/s.
  EXPECT_THAT(ReportText(report, true), HasSubstr("51 %"));
  EXPECT_THAT(ReportText(report), HasSubstr("measured peak: 500.0 GFLOP/s"));
  report.peak_gflops = 0;
  EXPECT_THAT(ReportText(report), Not(HasSubstr("peak:")));
}

TuneReport NothingWorked() {
  TuneReport report;
  for (const int64_t failed : {99, 201}) {
    TaskReport& task = report.tasks.emplace_back(WideTask());
    task.default_ns = task.best_ns = 0;
    task.best_schedule = task.best_config = "";
    task.finals = {};
    task.trials = task.failed = failed;
    task.failure = {Fate::kUnsupported, "job " + std::to_string(failed), failed - 1};
  }
  return report;
}

TEST(ReportText, SaysHowATaskFailedOfWhichNothingWorked) {
  EXPECT_THAT(ReportText(NothingWorked()), HasSubstr("   1  none: 98 of 99 trials Unsupported: job 99\n"));
  const Json json = ReportJson(NothingWorked())["tasks"][1]["failure"];
  EXPECT_EQ(json, (Json{{"fate", "Unsupported"}, {"message", "job 201"}, {"trials", 200}}));
  EXPECT_TRUE(ReportJson(OneTask())["tasks"][0]["failure"].is_null());
}

TEST(ReportText, SaysThatATaskHasOnlyNoisyTrials) {
  TuneReport report = NothingWorked();
  report.tasks[0].failed = 90;
  report.tasks[0].failure = {};
  EXPECT_THAT(ReportText(report), HasSubstr("   1  none: all trials that worked were noisy"));
}

TEST(ReportText, SaysOnceWhatHoldsForManyTasks) {
  TuneReport report = NothingWorked();
  report.tasks.resize(9, report.tasks[0]);
  for (const size_t noisy : {0U, 1U, 2U, 5U}) {
    report.tasks[noisy].failed = 0;
    report.tasks[noisy].failure = {};
  }
  const std::string text = ReportText(report);
  EXPECT_THAT(text, HasSubstr("1 to 3, 6  none: all trials that worked were noisy"));
  EXPECT_THAT(text, HasSubstr("4 to 5, 7 to 9  none: 98 of 99 trials Unsupported: job 99\n"));
}

TEST(WhyNothingWorked, NamesTheFateOfTheTaskThatFailedMost) {
  TuneReport report = NothingWorked();
  EXPECT_EQ(WhyNothingWorked(report),
            "no kernel of 2 tasks could be measured: 300 of 300 trials failed, as Unsupported: job 201");
  report.tasks[1].failed = 200;
  EXPECT_EQ(WhyNothingWorked(report), "") << "a trial that was only noisy worked";
  for (TaskReport& task : report.tasks) task.trials = task.failed = 0;
  EXPECT_THAT(WhyNothingWorked(report), HasSubstr("no trial was made"));
  report.unanswered = 3;
  EXPECT_THAT(WhyNothingWorked(report), HasSubstr("nothing was measured: no runner answered 3 jobs"));
  EXPECT_EQ(WhyNothingWorked(TuneReport()), "");
}

TEST(ReportText, ReportsUnansweredAndUncompiledCandidates) {
  TuneReport report = OneTask();
  EXPECT_THAT(ReportText(report), Not(HasSubstr("answer")));
  report.unanswered = 1;
  report.not_judged = 2;
  report.trouble = "the system killed the compiler";
  EXPECT_THAT(ReportText(report),
              HasSubstr("2 candidates were not judged here, and not recorded: the system killed the compiler"));
  EXPECT_THAT(ReportText(report), HasSubstr("1 job got no answer before the run ended"));
  report.interrupted = true;
  EXPECT_THAT(ReportText(report), Not(HasSubstr("budget"))) << "it has not ended";
  EXPECT_EQ(ReportJson(report)["unanswered"], 1);
}

TEST(ReportJson, HoldsWhatTheTableHolds) {
  TuneReport report = OneTask();
  const Json json = ReportJson(report);
  EXPECT_EQ(json["peak_gflops"], 500);
  EXPECT_EQ(json["finals_ns"], 3'000'000'000);
  const Json& task = json["tasks"][0];
  EXPECT_NEAR(task["share_of_peak"].get<double>(), 0.514, 1e-3);
  EXPECT_EQ(task["finals"]["best"]["ci95_ns"], Json::array({790'000, 812'000}));
  EXPECT_EQ(task["finals"]["replaced"], false);
  report.tasks[0].finals.held = 0;
  EXPECT_TRUE(ReportJson(report)["tasks"][0]["finals"].is_null());
}

TEST(PackageGain, IsTheVerdictOnTheBuiltModelOrTheReasonForNone) {
  PackageGain gain;
  gain.why_not = "the run was interrupted";
  EXPECT_EQ(PackageGainText(gain, {}), "package: not measured, the run was interrupted\n");
  gain = {true, "", false, {3'104'000, 0, 0}, {2'672'000, 0, 0}, 0.001, 7, "faster", {}, 0};
  EXPECT_EQ(PackageGainText(gain, {}), "package: 3.104 ms to 2.672 ms, 13.9 % faster (p 0.001)\n");
  gain.verdict = "no significant difference";
  gain.p = 0.31;
  EXPECT_EQ(PackageGainText(gain, {}), "package: 3.104 ms to 2.672 ms, no significant difference (p 0.310)\n");
  gain.same_kernels = true;
  EXPECT_EQ(PackageGainText(gain, {}), "package: 3.104 ms: a build takes the same kernels as before the run\n");
  const TuneReport report = OneTask();
  const std::string workload = report.tasks[0].workload.ToText();
  gain.configs[workload] = report.tasks[0].best_schedule + " " + report.tasks[0].best_config;
  EXPECT_THAT(PackageGainText(gain, report), Not(HasSubstr("layouts")));
  gain.configs[workload] = "conv2d_direct oc_block=8";
  EXPECT_THAT(PackageGainText(gain, report), HasSubstr("in it 1 task has another config than the best alone"));
}

// A winner of the finals alone that loses in the model is no gain, and the texts about it agree.
TEST(NetworkFinals, NameNoGainThatTheModelTookBack) {
  TuneReport report = OneTask();
  report.tasks[0].finals.replaced = report.tasks[0].finals.in_model = true;
  EXPECT_THAT(ReportText(report), HasSubstr(" in model\n"));
  EXPECT_THAT(ReportText(report), Not(HasSubstr("20.0 %")));
  NetworkFinals finals;
  finals.held = true;
  finals.tasks = finals.replaced = 1;
  finals.before.median = 2'600;
  finals.after.median = 1'900;
  EXPECT_EQ(
      NetworkFinalsText(finals),
      "in the built model: 2.60 us to 1.90 us, p 1.000: there 1 of 1 task with rivals has another best than alone "
      "(0 s)\n");
}

TEST(ReportText, SaysWhatTheAnalyticDefaultTakes) {
  TuneReport report = OneTask();
  report.tasks[0].analytic_ns = 1'100'000;
  EXPECT_THAT(ReportText(report),
              HasSubstr("default 10.000 ms, best 8.000 ms (1.25x);\nthe analytic default takes 11.000 ms"));
  report.tasks.push_back(WideTask());
  EXPECT_THAT(ReportText(report), HasSubstr("best 16.000 ms (1.25x)\n1000 trials")) << "one has no such time";
  report.tasks[1].default_ns = 0;
  EXPECT_THAT(ReportText(report), HasSubstr("best 8.000 ms (1.25x), 1 of 2 tasks;\nthe analytic default"));
  EXPECT_THAT(Line(ReportText(report, true), 0), HasSubstr("analytic"));
  EXPECT_THAT(Line(ReportText(report, true), 1), HasSubstr("1.100 ms"));
  report.costs = {1, 1, 1};
  EXPECT_THAT(ReportText(report), HasSubstr("compile 0 %, verify 0 %, timing 0 %, other 100 %"));
}

// An event of a whole model after 20 s.
TuneEvent SomeTrial() {
  TuneEvent event;
  event.task = OneTask().tasks[0].workload.ToText();
  event.node = "/layer4/layer4.0/downsample/Conv";
  event.trial = 1320;
  event.elapsed_ns = 20'000'000'000;
  event.model_ns = 24'261'000;
  event.model_default_ns = 29'113'200;
  event.tasks_timed = 25;
  return event;
}

std::string Told(TuneOutput& output, const TuneEvent& event) {
  testing::internal::CaptureStderr();
  output.Observe(event);
  return testing::internal::GetCapturedStderr();
}

std::string ToldOnce(const TuneEvent& event, bool terminal = false) {
  Budget budget;
  budget.time_ns = 538'000'000'000;
  TuneOutput output(false, terminal, 25, budget);
  std::string told = Told(output, event);
  output.Finish();
  return told;
}

TEST(TuneOutput, SaysTheModelsTimeItsGainAndTheTimeLeftFirst) {
  EXPECT_EQ(ToldOnce(SomeTrial()), "model 24.261 ms (about 1.20x), up to 518 s left; 1 trial, 0 failed\n");
  // In 80 columns the task is what is cut.
  EXPECT_THAT(ToldOnce(SomeTrial(), true),
              HasSubstr("model 24.261 ms (about 1.20x), up to 518 s left; 1 trial, 0 failed; /layer4/la~"));
  TuneEvent early = SomeTrial();
  early.model_default_ns = 0;
  EXPECT_THAT(ToldOnce(early), testing::StartsWith("model 24.261 ms, up to")) << "no quiet time of a default";
  early.model_ns = 0;
  early.tasks_timed = 3;
  EXPECT_THAT(ToldOnce(early), testing::StartsWith("3 of 25 tasks timed, up to 518 s left; "));
}

TEST(TuneOutput, SaysAtOnceThatNoRunnerIsLeftAndItsClockSaysSo) {
  Budget budget;
  budget.time_ns = 538'000'000'000;
  TuneOutput output(false, false, 25, budget), seen(false, true, 25, budget);
  TuneEvent waiting = SomeTrial();
  waiting.kind = TuneEventKind::kWaiting;
  waiting.why = "no runner left for the key \"board\"";
  EXPECT_EQ(Told(output, waiting), "no runner left for the key \"board\", waiting\n");
  EXPECT_THAT(Told(seen, waiting), HasSubstr("no runner left for the key \"board\", waiting\n"));
  waiting.elapsed_ns += 12'000'000'000;
  EXPECT_EQ(Told(output, waiting), "waiting for 12 s, up to 506 s left: no runner left for the key \"board\"\n");
  EXPECT_THAT(Told(seen, waiting), HasSubstr("waiting for 12 s, up to 506 s left: no runner left"));
  waiting.why = "";
  EXPECT_EQ(Told(output, waiting), "a runner is there again after 12 s\n");
}

TEST(NoRunnerText, SaysWhatWasKept) {
  TuneReport report = OneTask();
  report.no_runner = "no runner left for the key \"board\" for 600 s";
  EXPECT_EQ(NoRunnerText(report, "my.db"),
            "no runner left for the key \"board\" for 600 s; 1000 trials of this run are kept in my.db, and the same "
            "command goes on with them");
}

TEST(TuneOutput, TellsHowManyRunnersAreInUse) {
  TuneEvent event = SomeTrial();
  event.runners = 3;
  EXPECT_EQ(EventJson(event)["runners"], 3);
  EXPECT_THAT(ToldOnce(event), HasSubstr("0 failed, 3 runners\n"));
  event.runners = 1;
  EXPECT_THAT(ToldOnce(event), Not(HasSubstr("runner")));
}

}  // namespace
}  // namespace hone
