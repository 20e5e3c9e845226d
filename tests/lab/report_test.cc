// The report: its conclusion, and the page around the charts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/json/serialize.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "lab/report/conclusion.h"
#include "lab/report/page.h"
#include "lab/report/page_files.h"
#include "lab/report/report_page.h"
#include "tests/lab/html_parts.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

// The page without its scripts, which are not markup.
std::string WithoutScripts(std::string page) {
  for (size_t at = page.find("<script>"); at != std::string::npos; at = page.find("<script>")) {
    page.erase(at, page.find("</script>", at) + 9 - at);
  }
  return page;
}

// Three machines that run one model of two layers. The second is 1.5 times as slow and half the price.
ComparisonReport ThreeMachines() {
  ComparisonReport report;
  Comparison& c = report.comparison;
  c.models = {{"net", 1}};
  for (int i = 0; i < 3; ++i) {
    ComparedDevice device;
    device.name = device.setup = device.machine = std::string(1, static_cast<char>('a' + i));
    device.runners = {"board/" + device.name};
    device.roofs = {100, 10, i != 1};
    device.threads = i == 2 ? 2 : 1;
    device.price_per_hour = i == 0 ? 0.4 : 0.2;
    ComparedLayer layer;
    layer.name = "nn.dense data=1x8 weight=4x8";
    layer.nodes = {"fc1", "relu1"};
    layer.has_knobs = true;
    layer.flops = layer.bytes = 1e6;
    layer.origin = TimeOrigin::kRecord;
    layer.time = {i == 1 ? 1'500'000 : 1'000'000, i == 1 ? 1'500'000 : 1'000'000, i == 1 ? 1'550'000 : 1'050'000, 9};
    ComparedCell cell;
    cell.origin = TimeOrigin::kRecord;
    cell.layers = {layer};
    SumLayers(cell);
    c.devices.push_back(device);
    c.cells.push_back({cell});
  }
  return report;
}

Conclusion ConclusionOf(const ComparisonReport& report) {
  return ConclusionOf(report, 0,
                      OrderOfDevices(report.comparison, 0, StandingsOf(report.comparison, 0, report.accepted)));
}

TEST(Conclusion, NamesTheFastestTheCheapestAndWhatWasLeftOut) {
  const Conclusion said = ConclusionOf(ThreeMachines());
  EXPECT_EQ(said.summary,
            "board/a is the fastest: 1.000 ms per run, 1.50x as fast as board/b, and their intervals do not overlap; "
            "board/b is the cheapest: 0.0833 per million inferences; board/c was not comparable.");
  ComparisonReport quicker = ThreeMachines();
  quicker.comparison.cells[2][0].time.ns = 900'000;
  const std::string summary = ConclusionOf(quicker).summary;
  EXPECT_THAT(summary, HasSubstr("board/a is the fastest of those compared: 1.000 ms"));
  EXPECT_THAT(summary, HasSubstr("board/c was not comparable, but board/c (900.00 us) took less."));
  EXPECT_EQ(said.fastest.short_text, "board/a");
  EXPECT_THAT(said.fastest.details, HasSubstr("The intervals do not overlap"));
  EXPECT_EQ(said.cheapest.short_text, "board/b");
  EXPECT_THAT(said.cheapest.details, HasSubstr("board/a 0.111 (1.33x)"));
  EXPECT_EQ(said.why.short_text, "The share of its limit that each machine reaches");
  EXPECT_THAT(said.why.details, HasSubstr("fc1 makes 100 % of the difference."));
  EXPECT_EQ(said.unsure.short_text, "Where board/c stands");
  EXPECT_THAT(said.unsure.details, testing::AllOf(HasSubstr("not compared: 2 threads"),
                                                  HasSubstr("The roofs are assumed, not measured, of board/b")));
}

TEST(Conclusion, DoesNotNameAWinnerWhereIntervalsOverlap) {
  ComparisonReport report = ThreeMachines();
  report.comparison.cells[0][0].time.high_ns = 1'600'000;
  const Conclusion said = ConclusionOf(report);
  EXPECT_THAT(said.summary,
              HasSubstr("board/a (1.000 ms) and board/b (1.500 ms) cannot be told apart: their intervals overlap"));
  EXPECT_EQ(said.fastest.short_text, "board/a or board/b");
  EXPECT_THAT(said.unsure.short_text, testing::StartsWith("Which is the fastest, and where board/c stands"));
  EXPECT_THAT(said.unsure.details, HasSubstr("board/a may take up to 1.600 ms"));
  const std::string page = ReportPage(report, nullptr);
  EXPECT_THAT(page, testing::AllOf(HasSubstr("cannot tell</span>"), Not(HasSubstr("fastest</span>"))))
      << "the table and the sentence agree";
}

// The third machine's interval is wide, and reaches the fastest one's.
TEST(Conclusion, HoldsTheFastestAgainstEveryMachine) {
  ComparisonReport report = ThreeMachines();
  report.accepted = {kThreadsDiffer};
  ComparedTime& third = report.comparison.cells[2][0].time;
  third = {2'000'000, 1'000'000, 2'100'000, 9};
  EXPECT_THAT(ConclusionOf(report).summary,
              HasSubstr("board/a (1.000 ms) and board/c (2.000 ms) cannot be told apart"));
  EXPECT_THAT(ReportPage(report, nullptr), Not(HasSubstr("fastest</span>")));
  third.low_ns = third.ns;
  EXPECT_THAT(ConclusionOf(report).summary, HasSubstr("board/a is the fastest"));
  EXPECT_THAT(ReportPage(report, nullptr), HasSubstr("fastest</span>"));
}

TEST(Conclusion, DoesNotNameTheCheapestWhereTheTimesDoNotDecide) {
  ComparisonReport report = ThreeMachines();
  report.comparison.devices[0].price_per_hour = 0.32;
  EXPECT_THAT(ConclusionOf(report).summary, HasSubstr("; board/b is the cheapest: 0.0833 per million inferences"));
  report.comparison.cells[0][0].time.low_ns = 900'000;
  const Conclusion said = ConclusionOf(report);
  EXPECT_THAT(said.summary, HasSubstr("; the cheapest cannot be told for sure: board/b (0.0833) and board/a (0.0889)"));
  EXPECT_EQ(said.cheapest.short_text, "board/b or board/a");
  EXPECT_THAT(said.unsure.short_text, testing::StartsWith("Which is the cheapest"));
}

// A machine that lacks layers has a ratio over the others, and no time of the whole model.
TEST(Conclusion, LetsNoIncompleteMachineBeTheFastest) {
  ComparisonReport report = ThreeMachines();
  report.accepted = {kThreadsDiffer};
  for (auto& row : report.comparison.cells) {
    row[0].layers.push_back(row[0].layers[0]);
    row[0].layers.back().name = "nn.dense data=1x4 weight=4x4";
    SumLayers(row[0]);
  }
  ComparedCell& partial = report.comparison.cells[2][0];
  partial.layers[0].time = {500'000, 500'000, 500'000, 9};
  partial.layers[1].time = {};
  SumLayers(partial);
  EXPECT_THAT(ConclusionOf(report).summary, HasSubstr("board/a is the fastest"));
  const std::string page = ReportPage(report, nullptr);
  EXPECT_THAT(page, testing::AllOf(HasSubstr("fastest</span>"), HasSubstr("incomplete</span>"),
                                   HasSubstr("Layers in which board/a and board/b differ most")));
}

TEST(Conclusion, SaysWhatIsMissing) {
  ComparisonReport report = ThreeMachines();
  for (ComparedDevice& device : report.comparison.devices) device.price_per_hour = 0;
  EXPECT_THAT(ConclusionOf(report).cheapest.details, HasSubstr("No prices were given"));
  EXPECT_THAT(ConclusionOf(report).summary, Not(HasSubstr("cheapest")));
  report.comparison.devices[2].price_per_hour = 0.2;
  EXPECT_THAT(ConclusionOf(report).cheapest.details, HasSubstr("No machine with a price is comparable"));
  report.comparison.cells.assign(3, {ComparedCell()});
  EXPECT_THAT(ConclusionOf(report).summary, testing::StartsWith("No device has a time for this model"));
  const std::string page = ReportPage(report, nullptr);
  EXPECT_EQ(page.find("No device has a time"), page.rfind("No device has a time")) << "once";
}

TEST(ReportPage, BeginsWithTheConclusionThenTheTable) {
  const std::string page = ReportPage(ThreeMachines(), nullptr);
  const size_t lead = page.find("class=\"lead\""), table = page.find("Times of net"), chart = page.find("data-chart");
  EXPECT_LT(page.find("<h1>net on 3 devices</h1>"), lead);
  EXPECT_LT(lead, table);
  EXPECT_LT(table, chart);
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">fc1 + relu1</th>"));
  EXPECT_THAT(page, Not(HasSubstr(">J per image<"))) << "a column without a value is left out";
}

// One machine with one thread and with two is two rows of one place.
TEST(ReportPage, TellsRowsOfOneMachineApart) {
  ComparisonReport report = ThreeMachines();
  report.accepted = {kThreadsDiffer};
  ComparedDevice& two = report.comparison.devices[2];
  two.machine = report.comparison.devices[0].machine;
  two.runners = report.comparison.devices[0].runners;
  report.comparison.cells[2][0].time = {500'000, 500'000, 510'000, 9};
  EXPECT_THAT(
      ConclusionOf(report).summary,
      testing::StartsWith("board/a at 2 threads is the fastest: 500.00 us per run, 2.00x as fast as board/a at 1 "
                          "thread"));
  EXPECT_THAT(ReportPage(report, nullptr), Not(HasSubstr("2 threads, 2 threads")));
  // Code for another CPU is a row of its own, too.
  two.threads = report.comparison.devices[0].threads;
  two.target.cpu = "x86-64-v3";
  report.comparison.devices[0].target.cpu = "znver4";
  EXPECT_THAT(ConclusionOf(report).summary,
              testing::StartsWith("board/a for x86-64-v3 is the fastest: 500.00 us per run, 2.00x as fast as board/a "
                                  "for znver4"));
}

TEST(ReportPage, SaysThatTunedLayersAreNotTheWholeModel) {
  ComparisonReport report = ThreeMachines();
  EXPECT_THAT(ConclusionOf(report).unsure.details, Not(HasSubstr("left out of these times")));
  report.comparison.models[0].is_tasks_alone = true;
  EXPECT_THAT(ConclusionOf(report).unsure.details,
              HasSubstr("Operators that are not tuned are left out of these times"));
}

TEST(ReportPage, NamesTheLayersOfHistoriesAsTheModelDoes) {
  StoreHistory history;
  history.records = 2;
  history.tasks = {
      {"nn.dense data=1x8 weight=4x8", "a", 1, 9, 50, {{1, 0, 80}, {2, 5, 50}}, 0, 5, "one"},
      {"nn.dense data=1x9 weight=4x9 dtype=float32", "a", 1, 2, 50, {{1, 0, 90}, {2, 5, 50}}, 0, 5, "one"}};
  const std::string page = ReportPage(ThreeMachines(), &history);
  EXPECT_THAT(page, HasSubstr("</span>fc1</button>"));
  EXPECT_THAT(page, HasSubstr("</span>nn.dense data=1x9 weight=4x9</button>")) << "a task of another model";
  history.tasks[1].setup = "another";
  EXPECT_THAT(ReportPage(ThreeMachines(), &history), HasSubstr("</span>fc1 on a, 1 thread</button>"));
}

TEST(HtmlTable, LetsOnlyLongWordsBreak) {
  const std::string html = HtmlTable(
      "t", {"a", "> b", "c"},
      {{"x", "1234567890123456789012345", "short words that are many"}, {"y", "1", "mount,pid,net,ipc,user,fresh"}});
  EXPECT_THAT(html, HasSubstr("<td class=\"r\">1234567890123456789012345</td><td>short words"));
  EXPECT_THAT(html, HasSubstr("<td class=\"long\">mount"));
}

TEST(ReportPage, ExplainsPointsAboveARoof) {
  ComparisonReport report = ThreeMachines();
  ComparedLayer& layer = report.comparison.cells[0][0].layers[0];
  EXPECT_THAT(ReportPage(report, nullptr), Not(HasSubstr("above a roof")));
  layer.flops = 1e9;
  layer.schedule = "conv2d_winograd";
  EXPECT_THAT(ReportPage(report, nullptr), HasSubstr("1 point is above a roof: Winograd"));
}

ComparisonReport EvilReport() {
  ComparisonReport report;
  Comparison& c = report.comparison;
  c.models = {{kEvil, 1}};
  for (int i = 0; i < 2; ++i) {
    ComparedDevice device;
    device.name = device.cpu_model = kEvil + std::to_string(i);
    device.machine = std::to_string(i);
    device.runners = {kEvil};
    device.environment.kernel = kEvil;
    device.target.cpu = kEvil;
    device.roofs = {100, 10, true};
    ComparedCell cell;
    ComparedLayer layer;
    layer.name = layer.schedule = layer.config = layer.source = kEvil;
    layer.has_knobs = true;
    layer.flops = layer.bytes = 1000;
    layer.time = {100, 100, 110, 3};
    layer.origin = TimeOrigin::kRecord;
    cell.layers = {layer};
    cell.origin = TimeOrigin::kRecord;
    SumLayers(cell);
    c.devices.push_back(device);
    c.cells.push_back({cell});
  }
  Portability p;
  p.devices = {0, 1};
  const PortedTime own{100, 100, 1, 1, 0, 90, 110, 9, ""}, ported{100, 125, 1, 1, 0, 120, 130, 9, ""};
  p.times = {{own, ported}, {{0, 0, 0, 1, 1, 0, 0, 0, kEvil}, own}};
  report.portability = {p};
  return report;
}

TEST(ReportPage, EscapesNamesAndLoadsNothingFromANetwork) {
  StoreHistory history;
  history.records = 1;
  history.tasks = {{kEvil, kEvil, 1, 2, 50, {{1, 0, 80}, {2, 5, 50}}, 0, 5}};
  history.fates[kEvil][Fate::kOk] = 1;
  const std::string page = ReportPage(EvilReport(), &history);
  const std::string markup = WithoutScripts(page);
  EXPECT_THAT(markup, testing::AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\033")), Not(HasSubstr("http:")),
                                     Not(HasSubstr("https:")), Not(HasSubstr("src=")), Not(HasSubstr("url("))));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page, testing::AllOf(HasSubstr("; script-src 'sha256-"), Not(HasSubstr("unsafe"))));
  for (const std::string_view script : {ChartLibrary(), ChartScript()}) {
    EXPECT_THAT(page, HasSubstr("<script>" + std::string(script) + "</script>"));
    EXPECT_EQ(script.find("</script"), std::string_view::npos);
  }
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)"));
  EXPECT_THAT(page, testing::AllOf(HasSubstr("prefers-color-scheme:dark"), HasSubstr("@media print"),
                                   HasSubstr("width=device-width"), HasSubstr("lang=\"en\"")));
  EXPECT_TRUE(IsWellFormed(markup));
}

TEST(ReportPage, SaysOfEachDeviceWhereItsRoofsComeFrom) {
  ComparisonReport report = EvilReport();
  report.comparison.devices[1].roofs.measured = false;
  const std::string page = ReportPage(report, nullptr);
  EXPECT_THAT(page, testing::AllOf(HasSubstr("100 GFLOP/s, 10.0 GB/s, measured"),
                                   HasSubstr("100 GFLOP/s, 10.0 GB/s, assumed"), Not(HasSubstr("not known</td>"))));
  report.comparison.devices[1].roofs = {};
  EXPECT_THAT(ReportPage(report, nullptr), HasSubstr("not known</td>"));
}

TEST(ReportPage, OfThreeMachinesAndFiveModelsIsBelowAMegabyteBesideTheLibrary) {
  ComparisonReport report = EvilReport();
  Comparison& c = report.comparison;
  ComparedCell cell = c.At(0, 0);
  cell.layers.assign(60, cell.layers[0]);
  c.devices.push_back(c.devices[0]);
  c.models.assign(5, c.models[0]);
  c.cells.assign(3, std::vector<ComparedCell>(5, cell));
  report.portability.clear();
  EXPECT_LT(ReportPage(report, nullptr).size() - ChartLibrary().size(), 1'000'000U);
}

}  // namespace
}  // namespace hone
