// The charts of a report.
#include "lab/report/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/report/chart.h"
#include "lab/report/page.h"
#include "tests/lab/html_parts.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Chart, EscapesWhateverIsGiven) {
  EXPECT_EQ(Escaped("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  EXPECT_THAT(Escaped("\033[31m"), Not(HasSubstr("\033")));
  const ChartSeries evil{kEvil, 0, false, ChartSeries::Style::kPoints, {{1, 1, kEvil}, {2, 2, kEvil}}};
  const std::string html = HtmlChart({kEvil, {kEvil}, {kEvil}, {evil, evil}, true});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_TRUE(IsWellFormed(html)) << html;
  EXPECT_EQ(html.find("data-chart=\"{&quot;"), html.rfind("data-chart="));
}

TEST(Chart, IsLeftOutForOneValue) {
  EXPECT_EQ(HtmlChart({}), "");
  EXPECT_EQ(HtmlChart({"n", {}, {}, {{"s", 0, false, ChartSeries::Style::kSteps, {{1, 2, ""}, {1, 2, ""}}}}, true}),
            "");
}

TEST(Charts, HaveAMarkForEachValueAndATextForScreenReaders) {
  const std::string bars = LatencyChart("times", {{"a", "of a", 5'000'000, 4'900'000, 5'200'000, 0, false},
                                                  {"b", "of b", 7'000'000, 7'000'000, 7'000'000, 1, true}});
  EXPECT_THAT(bars, HasSubstr("role=\"img\" aria-label=\"times\""));
  const Json drawn = DrawnBy(bars);
  EXPECT_EQ(drawn["y"]["labels"], Json::array({"a", "b"}));
  EXPECT_EQ(drawn["series"][0]["points"][0]["title"], "of a");
  EXPECT_EQ(drawn["series"][0]["points"][0]["high"], 5.2);
  EXPECT_EQ(drawn["series"][1]["grey"], true);
  const std::string roofs = RooflineChart("roofs", {{"m", 0, 100, 10, {{1, 5, "slow"}, {50, 90, "quick"}}}});
  EXPECT_EQ(DrawnBy(roofs)["series"][0]["points"].size(), 2U);
  EXPECT_THAT(roofs, HasSubstr("roof of m"));
  const std::string heat = HeatTable("map", {"a", "b"}, {{{1.0, ""}, {0.5, "4 ms against 2 ms"}}, {{}, {1.0, ""}}});
  EXPECT_THAT(heat, testing::AllOf(HasSubstr("<b>50 %</b><small>4 ms against 2 ms"), HasSubstr("not known"),
                                   HasSubstr("class=\"cell h10\"")));
  const std::string cascade = CascadeChart("cascade", {{"a", {0.5, 1, 1}}, {"b", {0, 1, 1}}});
  EXPECT_THAT(cascade,
              testing::AllOf(HasSubstr("a: 100.0 % on its number 1"), Not(HasSubstr("nan")), Not(HasSubstr("null"))));
  const std::string history = HistoryChart({"history", "trials", "us"}, {{"t", {{1, 5000}, {9, 2000}}}});
  EXPECT_EQ(DrawnBy(history)["series"][0]["style"], "steps");
  for (const std::string& chart : {bars, roofs, heat, cascade, history}) EXPECT_TRUE(IsWellFormed(chart)) << chart;
}

TEST(Charts, AreEmptyWithoutValues) {
  EXPECT_EQ(LatencyChart("n", {}), "");
  EXPECT_EQ(RooflineChart("n", {}), "");
  EXPECT_EQ(HeatTable("n", {"one"}, {{{1.0, ""}}}), "");
  EXPECT_EQ(CascadeChart("n", {{"a", {1, 1}}}), "") << "a heat table shows two platforms whole";
  EXPECT_EQ(HistoryChart({"n", "x", "y"}, {}), "");
}

// An interval of three times the time would hide a difference of a fifth.
TEST(Charts, LetNoIntervalHideTheDifferences) {
  const Json drawn = DrawnBy(LatencyChart("t", {{"a", "", 10'000'000, 9'000'000, 60'000'000, 0, false},
                                                {"b", "", 12'000'000, 11'000'000, 13'000'000, 1, false}}));
  EXPECT_DOUBLE_EQ(drawn["x"]["least"].get<double>(), 9 - 0.1 * 6);
  EXPECT_DOUBLE_EQ(drawn["x"]["most"].get<double>(), 12 * 1.25 + 0.1 * 6);
  EXPECT_EQ(drawn["series"][0]["points"][0]["high"], 60.0) << "the mark ends at the edge with an arrow";
}

// Intervals that overlap by little are seen to overlap.
TEST(Charts, ShowIntervalsOfUsualLengthsWhole) {
  const Json drawn = DrawnBy(LatencyChart("t", {{"a", "", 10'000'000, 10'000'000, 11'500'000, 0, false},
                                                {"b", "", 11'000'000, 11'000'000, 12'500'000, 1, false}}));
  EXPECT_GT(drawn["x"]["most"].get<double>(), 12.5);
  EXPECT_LT(drawn["x"]["least"].get<double>(), 10);
}

}  // namespace
}  // namespace hone
