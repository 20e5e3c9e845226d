// The charts of a report, made from plain values, and the tuning histories that one of them shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/record_store.h"

namespace hone {

// A series number sets colour and shape, the same in all charts of a page. A chart without values is empty.
struct TimeMark {
  std::string label, title;
  int64_t ns = 0, low_ns = 0, high_ns = 0;
  int series = 0;
  bool grey = false;  // not comparable with the others
};
// A row per time with its interval. The axis begins where the differences are seen.
std::string LatencyChart(const std::string& name, const std::vector<TimeMark>& marks);

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
// A table with equal rows and columns, whose cells are shaded. Empty for fewer than two.
std::string HeatTable(const std::string& name, const std::vector<std::string>& labels,
                      const std::vector<std::vector<HeatCell>>& cells);

struct CascadeLine {
  std::string label;
  std::vector<double> efficiencies;  // on each platform, in any order
};
// Efficiencies from the best platform to the worst, and at each the portability over the platforms up to it. Empty for
// fewer than three platforms, which HeatTable shows whole. (Sewall et al., "Interpreting and Visualizing Performance
// Portability Metrics", P3HPC 2020.)
std::string CascadeChart(const std::string& name, const std::vector<CascadeLine>& lines);

struct HistoryForm {
  std::string name, x_name, y_name;
  double ns_per_unit = 1e3;  // of the vertical axis
  bool logarithmic = true;
};
struct HistoryLine {
  std::string label;
  std::vector<std::pair<double, double>> points;  // x and the best so far in ns: each change, and the end
};
// A step chart.
std::string HistoryChart(const HistoryForm& form, const std::vector<HistoryLine>& lines);

// Tuning histories from a store, read in one pass over its keys. A trial takes eight bytes of memory.

// One workload in one setup (SetupKey), over all tuning runs.
struct TaskHistory {
  std::string workload, device;  // device has the comparison's name, without places
  int threads = 1;
  int64_t trials = 0;
  int64_t best_ns = 0;  // of what a build takes in its setup (db/verdicts/best_in_setup.h); 0: nothing
  // A change of the least time so far: the trial's number, ms since the task's first trial, and the time. Finals may
  // find that the least one was luck, so the best is no step.
  struct Step {
    int64_t trial = 0, since_ms = 0, least_ns = 0;
  };
  std::vector<Step> steps;
  int64_t first_unix_ms = 0, last_unix_ms = 0;
  std::string setup = "";  // SetupKey
};

struct StoreHistory {
  int64_t records = 0;
  std::vector<TaskHistory> tasks;                        // most trials first
  std::map<std::string, std::map<Fate, int64_t>> fates;  // by device
};

// The history of the workloads in `only`, or of all if it is empty; fates are counted over all records. Times of finals
// are no steps, because finals compare known candidates and find no new ones.
StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only);

}  // namespace hone
