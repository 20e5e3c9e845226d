// The page's text for plain values.
#include "lab/dashboard/dashboard_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/dashboard/dashboard_page.h"

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
  run.steps = {{1'000, 95'000}, {30'000, 52'000}};
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
  EXPECT_THAT(sections[1].html, HasSubstr("4711 records have arrived; 12.3 trials a second now."));
  // 3 x 5 us + 80 us at first, 3 x 4 us + 40 us at present.
  EXPECT_THAT(sections[1].html,
              HasSubstr("<td class=\"r\">2 of 2</td><td class=\"r\">95.00 us</td><td class=\"r\">52.00 "
                        "us</td><td class=\"r\">1.83x</td><td>2023-11-14 22:13:20 UTC</td>"));
  const std::string& run = sections[2].html;
  EXPECT_THAT(run, HasSubstr("<svg"));
  EXPECT_THAT(run, HasSubstr("aria-label=\"zoo:mlp, best so far of the whole model: 52.00 us\""));
  EXPECT_LT(run.find("<td>heavy</td>"), run.find("<td>light</td>"));
  EXPECT_THAT(run, HasSubstr("<td>held</td><td>dense_pack tile_m=8</td>"));
  EXPECT_THAT(sections[3].html, HasSubstr("<td>boards/left</td><td class=\"r\">30</td>"));
}

TEST(DashboardSections, AModelIsNotSummedBeforeItsTasksAreTimed) {
  WatchedStore store = OneRun();
  store.runs[0].tasks[0].best_ns = store.runs[0].tasks[0].first_ns = 0;
  store.runs[0].steps.clear();
  const std::vector<Section> sections = StoreSections({"s.db", "", 0}, store);
  EXPECT_THAT(sections[1].html, HasSubstr("<td class=\"r\">1 of 2</td><td class=\"r\">-</td><td class=\"r\">-</td>"));
  EXPECT_THAT(sections[2].html, Not(HasSubstr("<svg")));
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
  EXPECT_THAT(sections[1].html, HasSubstr("<td>pi4</td><td class=\"r\">1</td><td class=\"r\">1</td><td "
                                          "class=\"r\">2</td><td>ada, bob</td>"));
  EXPECT_THAT(sections[2].html, HasSubstr("<td>busy 5s</td>"));
  EXPECT_THAT(sections[2].html, HasSubstr("<td>12 % slower than usual</td>"));
  EXPECT_THAT(AllOf(FleetSections({"tcp://t:1", "", 0}, TrackerStatus{})), HasSubstr("No runner is connected."));
}

TEST(DashboardPage, ForbidsAllThatItDoesNotNeed) {
  SectionBoard board(1);
  board.Put(0, {{"a", "<h2>one</h2>"}});
  const HttpAnswer page = AnswerViewer({"GET", "/", {{"host", "localhost"}}, {}, {}}, ViewerAccess(""), board);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<section id=\"a\"><h2>one</h2></section>"));
  EXPECT_THAT(page.body, Not(HasSubstr("://")));
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
