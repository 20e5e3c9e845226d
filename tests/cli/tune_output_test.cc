#include "cli/printing/tune_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

// A task with the widest values.
TaskReport WideTask() {
  TaskReport task;
  task.workload =
      Workload::Parse("nn.conv2d data=1x1024x14x14 weight=2048x1024x1x1 strides=2x2 padding=0x0x0x0 epilogue=residual");
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

TEST(ReportText, FitsATerminalAndPutsConfigsBelow) {
  TuneReport report = OneTask();
  const std::string text = ReportText(report);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 150U) << line;
  EXPECT_THAT(text, HasSubstr(report.tasks[0].best_config));
  EXPECT_THAT(text.substr(0, text.find("best:\n")), Not(HasSubstr("oc_block")));
}

TEST(ReportText, SaysWhyItStoppedAndWhatTheFinalsSaid) {
  TuneReport report = OneTask();
  EXPECT_THAT(ReportText(report), HasSubstr("space spent"));
  EXPECT_THAT(ReportText(report), HasSubstr("no significant difference"));
  report.tasks[0].finals.replaced = true;
  EXPECT_THAT(ReportText(report), HasSubstr("20.0 % faster, p 0.002"));
  report.tasks[0].finals.held = 0;
  EXPECT_THAT(ReportText(report), HasSubstr("not held"));
}

TEST(ReportText, GivesTheShareOfTheMeasuredPeak) {
  TuneReport report = OneTask();
  // 2 * 1024 * 2048 * 49 flop in 800 us are 257 GFLOP/s.
  EXPECT_THAT(ReportText(report), HasSubstr("51 %"));
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
  EXPECT_THAT(ReportText(report), HasSubstr("   1  none: 9 of 99 trials worked, all of them noisy"));
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

TEST(ReportText, TellsWhatNobodyAnsweredAndWhatWasNotCompiled) {
  TuneReport report = OneTask();
  EXPECT_THAT(ReportText(report), Not(HasSubstr("answer")));
  report.unanswered = 1;
  report.not_judged = 2;
  report.trouble = "the system killed the compiler";
  EXPECT_THAT(ReportText(report),
              HasSubstr("2 candidates were not judged here, and not recorded: the system killed the compiler"));
  EXPECT_THAT(ReportText(report), HasSubstr("1 job got no answer before the budget ended"));
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

TEST(TuneOutput, TellsHowManyRunnersAreInUse) {
  TuneEvent event;
  event.task = OneTask().tasks[0].workload.ToText();
  event.elapsed_ns = 20'000'000'000;
  event.runners = 3;
  EXPECT_EQ(EventJson(event)["runners"], 3);
  const auto told = [](const TuneEvent& shown) {
    testing::internal::CaptureStderr();
    TuneOutput(false, false, 1, Budget()).Observe(shown);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(event), HasSubstr("trials/s, 3 runners, 1 of 1 tasks"));
  event.runners = 1;
  EXPECT_THAT(told(event), Not(HasSubstr("runner")));
}

}  // namespace
}  // namespace hone
