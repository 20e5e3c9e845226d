// The charts of a report, made from plain values. Each has a text alternative, and titles on its marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone {

// A series number sets colour and shape, the same in all charts of a page.
struct BarOfTime {
  std::string label, title;
  int64_t ns = 0, low_ns = 0, high_ns = 0;
  int series = 0;
  bool grey = false;  // not comparable with the others
};
// Horizontal bars from 0 with their intervals; empty if there are none.
std::string LatencyChart(const std::string& name, const std::vector<BarOfTime>& bars);

struct RooflineMachine {
  std::string label;
  int series = 0;
  double gflops = 0, read_gbps = 0;
  struct Point {
    double flops_per_byte = 0, gflops = 0;
    std::string title;
  };
  std::vector<Point> points;
};
// A roofline chart with logarithmic axes and a roof per machine. (Williams, Waterman and Patterson, "Roofline", CACM
// 52(4), 2009.)
std::string RooflineChart(const std::string& name, const std::vector<RooflineMachine>& machines);

struct HeatCell {
  std::optional<double> value;  // from 0 to 1; nullopt is unknown and left white
  std::string title;            // the value's source; empty: none
};
// A heat map with equal rows and columns.
std::string HeatMap(const std::string& name, const std::vector<std::string>& labels,
                    const std::vector<std::vector<HeatCell>>& cells);

struct CascadeLine {
  std::string label;
  std::vector<double> efficiencies;  // on each platform, in any order
};
// Efficiencies from the best platform to the worst, and at each the portability over the platforms up to it. (Sewall et
// al., "Interpreting and Visualizing Performance Portability Metrics", P3HPC 2020.)
std::string CascadeChart(const std::string& name, const std::vector<CascadeLine>& lines);

struct HistoryLine {
  std::string label;
  std::vector<std::pair<double, double>> points;  // x and the best so far in ns: each change, and the end
};
// A step chart; y is logarithmic.
std::string HistoryChart(const std::string& name, const std::string& x_name, const std::vector<HistoryLine>& lines);

}  // namespace hone
