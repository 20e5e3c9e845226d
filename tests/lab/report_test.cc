// The report's parts: scales, marks, charts, and the page around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/report/charts.h"
#include "lab/report/page.h"
#include "lab/report/report_page.h"
#include "lab/report/svg.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kEvil = "<script>alert('1')</script> \"&\033[31m";

// Every opened tag is closed, in order; attributes are quoted.
bool IsWellFormed(const std::string& html) {
  std::vector<std::string> open;
  const std::set<std::string> alone = {"meta", "!doctype"};
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /", 1) - (tag.starts_with('/') ? 1 : 0));
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (alone.contains(name) || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(Svg, EscapesWhateverIsGiven) {
  EXPECT_EQ(Escaped("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  EXPECT_THAT(Escaped("\033[31m"), Not(HasSubstr("\033")));
  for (const std::string& part : {SvgText(0, 0, kEvil), SvgBar(0, 0, 1, 1, "s0", kEvil), SvgPoint(0, 0, 1, "s0", kEvil),
                                  SvgPath({{0, 0}, {1, 1}}, "line", kEvil), SvgPicture(1, 1, kEvil, "")}) {
    EXPECT_THAT(part, Not(HasSubstr("<script")));
    EXPECT_TRUE(IsWellFormed(part)) << part;
  }
}

TEST(Scale, MapsAndHoldsWithinThePixels) {
  const Scale linear{0, 10, 100, 200, false}, log{1, 100, 200, 0, true};
  EXPECT_DOUBLE_EQ(linear.At(5), 150);
  EXPECT_DOUBLE_EQ(linear.At(99), 200);
  EXPECT_DOUBLE_EQ(log.At(10), 100);
  EXPECT_DOUBLE_EQ(log.At(0), 200) << "no logarithm, but no NaN either";
  EXPECT_DOUBLE_EQ((Scale{3, 3, 7, 9, false}.At(3)), 7);
}

TEST(Ticks, AreRoundNumbersWithin) {
  EXPECT_THAT(Ticks({0, 10, 0, 1, false}, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(Ticks({0.3, 1.2, 0, 1, false}, 5),
              ElementsAre(testing::DoubleNear(0.4, 1e-9), testing::DoubleNear(0.6, 1e-9),
                          testing::DoubleNear(0.8, 1e-9), 1, testing::DoubleNear(1.2, 1e-9)));
  EXPECT_THAT(Ticks({0.5, 2000, 0, 1, true}, 6), ElementsAre(1, 10, 100, 1000));
  EXPECT_GE(Ticks({20, 60, 0, 1, true}, 6).size(), 2U);
  EXPECT_EQ(TickText(0.1 + 0.2), "0.3");
}

TEST(Svg, WritesShortPixels) {
  EXPECT_EQ(Pixels(1.0 / 3), "0.33");
  EXPECT_EQ(Pixels(10), "10");
  EXPECT_EQ(Pixels(-0.001), "0");
}

TEST(Charts, HaveAMarkForEachValueAndATextForWhoDoesNotSeeThem) {
  const std::string bars = LatencyChart("times", {{"a", "of a", 5'000'000, 4'900'000, 5'200'000, 0, false},
                                                  {"b", "of b", 7'000'000, 7'000'000, 7'000'000, 1, true}});
  EXPECT_THAT(bars, testing::AllOf(HasSubstr("role=\"img\" aria-label=\"times\""), HasSubstr("5.000 ms"),
                                   HasSubstr("<title>of a</title>"), HasSubstr("class=\"grey\"")));
  const std::string roofs = RooflineChart("roofs", {{"m", 0, 100, 10, {{1, 5, "slow"}, {50, 90, "quick"}}}});
  EXPECT_THAT(roofs,
              testing::AllOf(HasSubstr("<title>slow</title>"), HasSubstr("<title>quick</title>"), HasSubstr("roof")));
  const std::string heat = HeatMap("map", {"a", "b"}, {{{1.0, ""}, {0.5, "4 ms against 2 ms"}}, {{}, {1.0, ""}}});
  EXPECT_THAT(heat, testing::AllOf(HasSubstr("50 %; 4 ms against 2 ms"), HasSubstr("not known"),
                                   HasSubstr("class=\"cell h10\"")));
  const std::string cascade = CascadeChart("cascade", {{"a", {0.5, 1}}, {"b", {0, 1}}});
  EXPECT_THAT(cascade, testing::AllOf(HasSubstr("a: 1.000 on its number 1"), Not(HasSubstr("nan"))));
  const std::string history = HistoryChart("history", "trials", {{"t", {{1, 5000}, {9, 2000}}}});
  EXPECT_THAT(history, HasSubstr("<title>t</title>"));
  for (const std::string& chart : {bars, roofs, heat, cascade, history}) EXPECT_TRUE(IsWellFormed(chart)) << chart;
}

TEST(Charts, AreEmptyWithoutValues) {
  EXPECT_EQ(LatencyChart("n", {}), "");
  EXPECT_EQ(RooflineChart("n", {}), "");
  EXPECT_EQ(HeatMap("n", {"one"}, {{{1.0, ""}}}), "");
  EXPECT_EQ(CascadeChart("n", {{"a", {1}}}), "");
  EXPECT_EQ(HistoryChart("n", "x", {}), "");
}

// A bar ends where its scale says: the longest one at 1/1.08 of the width.
TEST(Charts, DrawBarsToScale) {
  const std::string one = LatencyChart("t", {{"a", "", 1'000'000, 0, 0, 0, false}, {"b", "", 500'000, 0, 0, 0, false}});
  EXPECT_THAT(one, HasSubstr("width=\"351.85\""));
  EXPECT_THAT(one, HasSubstr("width=\"175.93\""));
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

TEST(ReportPage, LetsNoNameBecomeMarkupAndAsksNothingOfANetwork) {
  StoreHistory history;
  history.records = 1;
  history.tasks = {{kEvil, kEvil, 1, 2, 50, {{1, 0, 80}, {2, 5, 50}}, 0, 5}};
  history.fates[kEvil][Fate::kOk] = 1;
  const std::string page = ReportPage(EvilReport(), &history);
  EXPECT_THAT(page, testing::AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\033")), Not(HasSubstr("http:")),
                                   Not(HasSubstr("https:")), Not(HasSubstr("src=")), Not(HasSubstr("url("))));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)"));
  EXPECT_THAT(page, testing::AllOf(HasSubstr("prefers-color-scheme:dark"), HasSubstr("@media print"),
                                   HasSubstr("width=device-width"), HasSubstr("lang=\"en\"")));
  EXPECT_TRUE(IsWellFormed(page));
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

TEST(ReportPage, OfThreeMachinesAndFiveModelsIsBelowAMegabyte) {
  ComparisonReport report = EvilReport();
  Comparison& c = report.comparison;
  ComparedCell cell = c.At(0, 0);
  cell.layers.assign(60, cell.layers[0]);
  c.devices.push_back(c.devices[0]);
  c.models.assign(5, c.models[0]);
  c.cells.assign(3, std::vector<ComparedCell>(5, cell));
  report.portability.clear();
  EXPECT_LT(ReportPage(report, nullptr).size(), 1'000'000U);
}

TEST(TuningHistory, KeepsWhereTheBestChanged) {
  TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  std::vector<Record> records;
  const std::vector<int64_t> times = {900, 950, 700, 0, 600};
  for (size_t i = 0; i < times.size(); ++i) {
    Record record = SampleRecord(static_cast<int>(i));
    record.unix_ms = 1000 + 10 * static_cast<int64_t>(i);
    record.measurement.samples_ns = {times[i]};
    if (times[i] == 0) {
      record.measurement.fate = Fate::kCrashed;
      record.measurement.samples_ns.clear();
      record.measurement.batch.clear();
    }
    record.id.clear();
    records.push_back(Finish(record));
  }
  store->Append(records);
  const StoreHistory history = HistoryOf(*store, {});
  ASSERT_EQ(history.tasks.size(), 1U);
  const TaskHistory& task = history.tasks[0];
  EXPECT_EQ(task.trials, 5);
  ASSERT_EQ(task.steps.size(), 3U);
  EXPECT_EQ(task.steps[1].trial, 3);
  EXPECT_EQ(task.steps[1].since_ms, 20);
  EXPECT_EQ(task.best_ns, 600);
  EXPECT_EQ(history.fates.begin()->second.at(Fate::kCrashed), 1);
  EXPECT_TRUE(HistoryOf(*store, {"another"}).tasks.empty());
}

}  // namespace
}  // namespace hone
