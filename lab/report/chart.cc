#include "lab/report/chart.h"

#include <fmt/format.h>

#include <set>

#include "core/json/serialize.h"
#include "lab/report/page.h"

namespace hone {
namespace {

const char* StyleName(ChartSeries::Style style) {
  switch (style) {
    case ChartSeries::Style::kPoints:
      return "points";
    case ChartSeries::Style::kSteps:
      return "steps";
    case ChartSeries::Style::kLine:
      return "line";
    case ChartSeries::Style::kDashed:
      return "dashed";
    case ChartSeries::Style::kBars:
      return "bars";
  }
  return "";
}

Json JsonOf(const ChartAxis& axis) {
  Json json = {{"name", axis.name}, {"log", axis.logarithmic}, {"date", axis.is_date}};
  if (!axis.labels.empty()) json["labels"] = axis.labels;
  if (axis.least) json["least"] = *axis.least;
  if (axis.most) json["most"] = *axis.most;
  return json;
}

Json JsonOf(const ChartSeries& series) {
  Json points = Json::array();
  for (const ChartPoint& point : series.points) {
    Json json = {{"x", point.x}, {"y", point.y}};
    if (!point.title.empty()) json["title"] = point.title;
    if (point.low && point.high) {
      json["low"] = *point.low;
      json["high"] = *point.high;
    }
    points.push_back(std::move(json));
  }
  return {{"label", series.label},
          {"colour", series.colour},
          {"grey", series.grey},
          {"style", StyleName(series.style)},
          {"points", std::move(points)}};
}

std::string Legend(const Chart& chart) {
  if (!chart.has_legend || chart.series.size() < 2) return "";
  std::string html = "<ul class=\"legend\">";
  for (const ChartSeries& series : chart.series) {
    const bool is_line = series.style == ChartSeries::Style::kLine || series.style == ChartSeries::Style::kDashed;
    html += fmt::format(
        "<li><button type=\"button\" aria-pressed=\"true\"><span class=\"key {}{} shape{}\"></span>{}</button></li>",
        is_line ? "dash " : "", series.grey ? "grey" : fmt::format("s{}", series.colour % 8), series.colour % 4,
        Escaped(series.label));
  }
  return html + "</ul>";
}

}  // namespace

std::string HtmlChart(const Chart& chart) {
  std::set<std::pair<double, double>> places;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) places.emplace(point.x, point.y);
  }
  if (places.size() < 2) return "";
  Json series = Json::array();
  for (const ChartSeries& one : chart.series) series.push_back(JsonOf(one));
  const Json json = {{"x", JsonOf(chart.x)}, {"y", JsonOf(chart.y)}, {"series", std::move(series)}};
  return fmt::format(
      "<figure><figcaption>{}</figcaption>{}<div class=\"plot\" role=\"img\" aria-label=\"{}\" data-chart=\"{}\">"
      "</div></figure>\n",
      Escaped(chart.name), Legend(chart), Escaped(chart.name), Escaped(DumpJson(json)));
}

}  // namespace hone
