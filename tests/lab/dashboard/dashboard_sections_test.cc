// The page's text for plain values.
#include "lab/dashboard/dashboard_sections.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/dashboard/dashboard_page.h"
#include "lab/dashboard/problems.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kMoment = 1'700'000'000'000;  // 2023-11-14 22:13:20 UTC
constexpr const char* kEvil = "<script>alert('1')</script>";

WatchedStore OneRun() {
  WatchedRun run;
  run.id = "0123456789abcdef";
  run.model = "zoo:mlp";
  run.state = "running";
  run.target = "llvm -mcpu=znver3";
  run.strategy = "model";
  run.threads = 2;
  run.tasks = {{"light", 3, 10, 1, 5'000, 4'000, "dense_pack", "tile_m=4", 0},
               {"heavy", 1, 20, 0, 80'000, 40'000, "dense_pack", "tile_m=8", 7}};
  run.trials = 30;
  run.failed = 1;
  run.first_unix_ms = kMoment - 60'000;
  run.last_unix_ms = kMoment;
  run.gains = {{30'000, 43'000}};
  run.budget_ms = 600'000;
  run.begun_unix_ms = kMoment - 60'000;
  run.budget_left_ms = 540'000;
  run.per_second = 12.34;
  WatchedStore store;
  store.arrived = 4711;
  store.runs = {run};
  store.devices = {{"AMD EPYC #f5b39a1c", "boards/left", 30, 1, 2, kMoment, 12.34}};
  return store;
}

std::vector<std::string> IdsOf(const std::vector<Section>& sections) {
  std::vector<std::string> ids;
  for (const Section& section : sections) ids.push_back(section.id);
  return ids;
}

std::string AllOf(const std::vector<Section>& sections) {
  std::string html;
  for (const Section& section : sections) html += section.html;
  return html;
}

TEST(DashboardSections, SayHowTheWholeModelAndEachTaskStand) {
  const std::vector<Section> sections = StoreSections({"s.db", "", 0}, OneRun());
  EXPECT_THAT(IdsOf(sections), ElementsAre("store", "overview", "run-0123456789abcdef", "devices"));
  EXPECT_THAT(sections[0].html, HasSubstr("<p role=\"status\">Store s.db: 1 tuning running</p>"));
  EXPECT_THAT(sections[1].html, HasSubstr("4711 records have arrived; 12.3 trials per second at present."));
  // 3 x 5 us + 80 us at first, 3 x 4 us + 40 us at present.
  EXPECT_THAT(
      sections[1].html,
      HasSubstr("<a href=\"#run-0123456789abcdef\">zoo:mlp</a></th><td><span class=\"state good\">running</span>"
                "</td><td class=\"r\">52.00 us</td><td class=\"r\">1.83x</td><td>10 min, 9 min left, until 22:22:20 "
                "UTC</td>"));
  const std::string& run = sections[2].html;
  EXPECT_THAT(run, HasSubstr("aria-label=\"Best time so far of the whole model\" data-chart="));
  EXPECT_LT(run.find(">heavy</th>"), run.find(">light</th>"));
  EXPECT_THAT(run, HasSubstr("<td>held</td><td>dense_pack tile_m=8</td><td>heavy</td>"));
  EXPECT_THAT(sections[3].html, HasSubstr("<td>boards/left</td><td class=\"r\">30</td>"));
}

TEST(DashboardSections, NameTasksAsTheModelDoes) {
  WatchedStore store = OneRun();
  WatchedTask& task = store.runs[0].tasks[1];
  task.node = "/layer1/conv1";
  task.failed = 19;
  for (int i = 1; i < 3; ++i) task.NotePoint(50'000 - i, "dense_pack", fmt::format("tile_m={}", i));
  const std::string html = AllOf(StoreSections({"s.db", "", 0}, store)) + AllOf(TrialSections(store));
  EXPECT_THAT(html, HasSubstr(">/layer1/conv1</th>"));
  EXPECT_THAT(html, HasSubstr("Trials of /layer1/conv1"));
  EXPECT_THAT(html, HasSubstr("<td>/layer1/conv1</td><td>heavy</td>"));
  EXPECT_THAT(ProblemsOf({"s.db", "", 0}, store, {}),
              ElementsAre("19 of 20 trials of /layer1/conv1 in zoo:mlp failed."));
}

TEST(DashboardSections, AModelIsNotSummedBeforeItsTasksAreTimed) {
  WatchedStore store = OneRun();
  store.runs[0].tasks[0].best_ns = store.runs[0].tasks[0].first_ns = 0;
  store.runs[0].gains.clear();
  const std::vector<Section> sections = StoreSections({"s.db", "", 0}, store);
  EXPECT_THAT(sections[1].html, HasSubstr("<td class=\"r\">1 of 2</td>"));
  EXPECT_THAT(sections[2].html, HasSubstr("Best time so far of 1 of 2 tasks"));
}

TEST(DashboardSections, EscapeWhateverAStoreAndATrackerSay) {
  WatchedStore store = OneRun();
  WatchedRun& run = store.runs[0];
  for (std::string* text : {&run.model, &run.state, &run.target, &run.strategy, &run.id, &run.tasks[0].workload,
                            &run.tasks[0].config, &store.devices[0].machine, &store.devices[0].runner}) {
    *text = kEvil;
  }
  RunnerInfo runner;
  for (std::string* text : {&runner.key, &runner.label, &runner.cpu, &runner.state, &runner.health, &runner.holder}) {
    *text = kEvil;
  }
  const std::vector<Section> of_store = StoreSections({kEvil, kEvil, kMoment}, store);
  const std::string html =
      AllOf(of_store) + AllOf(FleetSections({kEvil, "", 0}, TrackerStatus{{runner}, {{kEvil, 1, {kEvil}}}}));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("alert('")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
  for (const std::string& id : IdsOf(of_store)) {
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << id;
  }
}

TEST(DashboardSections, ASourceThatIsAwayIsToldOfWithWhatWasKnown) {
  const std::vector<Section> sections = StoreSections({"s.db", "it was lost", kMoment}, OneRun());
  EXPECT_THAT(sections[0].html, HasSubstr("<p role=\"status\" class=\"trouble\">The store s.db does not answer since "
                                          "2023-11-14 22:13:20 UTC: it was lost. What is shown below is from before."));
  EXPECT_THAT(AllOf(sections), HasSubstr("zoo:mlp"));
  EXPECT_THAT(AllOf(FleetSections({"tcp://t:1", "no tracker answers", kMoment}, std::nullopt)),
              HasSubstr("class=\"trouble\">The tracker tcp://t:1 does not answer since"));
}

TEST(DashboardSections, ShowTheFleetWithHealthAndQueue) {
  RunnerInfo runner;
  runner.key = "pi4";
  runner.label = "sill";
  runner.state = "busy";
  runner.leased_ns = 5'000'000'000;
  runner.health = "12 % slower than usual";
  const std::vector<Section> sections =
      FleetSections({"tcp://t:1", "", 0}, TrackerStatus{{runner}, {{"pi4", 2, {"ada", "bob"}}}});
  EXPECT_THAT(IdsOf(sections), ElementsAre("fleet", "queues", "runners"));
  EXPECT_THAT(sections[1].html, HasSubstr("<th scope=\"row\">pi4</th><td class=\"r\">1</td><td class=\"r\">1</td><td "
                                          "class=\"r\">2</td><td>ada, bob</td>"));
  EXPECT_THAT(sections[2].html, HasSubstr("<span class=\"state good\">busy 5s</span>"));
  EXPECT_THAT(sections[2].html, HasSubstr(">12 % slower than usual</td>"));
  EXPECT_THAT(AllOf(FleetSections({"tcp://t:1", "", 0}, TrackerStatus{})), HasSubstr("No runner is connected."));
}

TrackerStatus FleetOf(const std::string& state) {
  RunnerInfo runner;
  runner.key = "boards";
  runner.label = "left";
  runner.state = state;
  runner.health = state == "quarantined" ? "31 % slower than usual" : "";
  return {{runner}, {{"pi9", 1, {"ada"}}}};
}

TEST(Problems, AreToldFirstWithTheirReason) {
  WatchedStore store = OneRun();
  const WatchedFleet fleet{{"tcp://t:1", "", 0}, FleetOf("quarantined")};
  EXPECT_THAT(ProblemsOf({"s.db", "", 0}, store, fleet),
              ElementsAre("Runner boards/left is quarantined: 31 % slower than usual.",
                          "1 tuner waits for device key pi9, which no runner offers."));
  store.runs[0].tasks[1].failed = 19;
  store.runs[0].tasks[1].fates = {{Fate::kCrashed, 4}, {Fate::kWrongOutput, 15}};
  EXPECT_THAT(ProblemsOf({"s.db", "disk full", 0}, store, {}),
              ElementsAre("The store does not answer: disk full.",
                          "19 of 20 trials of heavy in zoo:mlp failed, mostly by WrongOutput."));
  EXPECT_THAT(ProblemSections({"<b>"})[0].html,
              testing::AllOf(HasSubstr("1 problem."), HasSubstr("<li>&lt;b&gt;</li>")));
  EXPECT_THAT(ProblemSections({})[0].html, HasSubstr("None."));
}

TEST(Problems, SayOfASilentRunWhetherItsTrackerOrItsRunnersAreGone) {
  const auto state_with = [](const WatchedFleet& fleet) {
    WatchedStore store = OneRun();
    store.runs[0].state = "silent";
    store.runs[0].keys = {"boards"};
    JudgeSilentRuns(fleet, store);
    return store.runs[0].state;
  };
  EXPECT_EQ(state_with({}), "silent");
  EXPECT_EQ(state_with({{"tcp://t:1", "", 0}, FleetOf("busy")}), "silent");
  EXPECT_EQ(state_with({{"tcp://t:1", "", 0}, FleetOf("lost")}), "runners lost");
  EXPECT_EQ(state_with({{"tcp://t:1", "no answer", 1}, FleetOf("busy")}), "tracker lost");
}

TEST(DashboardSections, ShowTrialsAndKnobsOfTheHeaviestTasks) {
  WatchedStore store = OneRun();
  EXPECT_TRUE(TrialSections(store).empty());
  WatchedTask& task = store.runs[0].tasks[1];
  for (int i = 1; i < 5; ++i) {
    task.trials = i;
    task.NotePoint(50'000 - 1'000 * i, "dense_pack", fmt::format("tile_m={}", i));
  }
  const std::vector<Section> sections = TrialSections(store);
  EXPECT_THAT(IdsOf(sections), ElementsAre("trials-run-0123456789abcdef"));
  EXPECT_THAT(sections[0].html, testing::AllOf(HasSubstr("Trials of heavy"), HasSubstr("trial 4: 46.00 us"),
                                               HasSubstr(">tile_m</th><td class=\"r\">1.07x</td>")));
}

TEST(DashboardSections, ComparesTuningsByTheirShareOfTheFirstTime) {
  WatchedStore store = OneRun();
  EXPECT_THAT(AllOf(StoreSections({"s.db", "", 0}, store)), Not(HasSubstr("Tunings compared")));
  store.runs.push_back(store.runs[0]);
  EXPECT_THAT(StoreSections({"s.db", "", 0}, store)[1].html, HasSubstr("Tunings compared"));
}

TEST(DashboardPage, ForbidsAllThatItDoesNotNeed) {
  SectionBoard board(1);
  board.Put(0, {{"a", "<h2>one</h2>"}});
  const HttpAnswer page = AnswerViewer({"GET", "/", {{"host", "localhost"}}, {}, {}}, ViewerAccess(""), board);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<section id=\"a\"><h2>one</h2></section>"));
  EXPECT_THAT(page.body, Not(HasSubstr(" style=")));
  EXPECT_THAT(page.body, Not(HasSubstr(" onclick")));
  std::string policy;
  for (const auto& [name, value] : page.headers) policy = name == "Content-Security-Policy" ? value : policy;
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_TRUE(AnswerViewer({"GET", "/events", {{"host", "localhost"}}, {}, {}}, ViewerAccess(""), board).streams);
  EXPECT_EQ(AnswerViewer({"GET", "/x", {{"host", "localhost"}}, {}, {}}, ViewerAccess(""), board).status, 404);
  const HttpAnswer refused = AnswerViewer({"GET", "/events", {{"host", "evil"}}, {}, {}}, ViewerAccess(""), board);
  EXPECT_EQ(refused.status, 403);
  EXPECT_FALSE(refused.streams);
}

}  // namespace
}  // namespace hone
