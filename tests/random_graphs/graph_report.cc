#include "tests/random_graphs/graph_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "lab/files/write_file.h"
#include "tests/random_graphs/describe_graph.h"
#include "tests/random_graphs/onnx_graph_bytes.h"
#include "tests/random_graphs/shrink_graph.h"
#include "tests/random_graphs/watched_checks.h"

namespace hone {

void GraphReport::Add(const std::string& name, const OnnxGraph& graph, const GraphRun& run, const GraphCheck& check) {
  ++verdicts_[check.verdict];
  if (check.verdict == Verdict::kRight) return;
  fmt::print("{}: {}: {} [{}]\n", name, VerdictName(check.verdict), check.detail, run.ToText());
  if (!shrink_folder_.empty()) Shrink(name, graph, run, check.verdict);
  std::fflush(stdout);
}

bool GraphReport::Finish(double seconds) const {
  int64_t total = 0;
  std::string text;
  for (const auto& [verdict, count] : verdicts_) {
    total += count;
    text += fmt::format(", {} {}", count, VerdictName(verdict));
  }
  for (const auto& [family, count] : families_) fmt::print("{:5d} {}\n", count, family);
  fmt::print("{} graphs in {:.0f} s{}\n", total, seconds, text);
  return verdicts_.at(Verdict::kRight) == total;
}

void GraphReport::Shrink(const std::string& name, const OnnxGraph& graph, const GraphRun& run, Verdict verdict) {
  const OnnxGraph small =
      ShrinkGraph(graph, [&](const OnnxGraph& candidate) { return CheckWatched(candidate, run).verdict == verdict; });
  const GraphCheck check = CheckWatched(small, run);
  ++families_[fmt::format("{}: {}", VerdictName(verdict), OperatorsOf(small))];
  std::filesystem::create_directories(shrink_folder_);
  const std::string path = fmt::format("{}/{}.onnx", shrink_folder_, name);
  WriteFileAtomically(path, OnnxBytes(small));
  std::ofstream(path + ".txt") << fmt::format("{}: {}\n{}\n{}\n", VerdictName(verdict), DescribeGraph(small),
                                              check.detail, run.ToText());
  fmt::print("  {}: {}\n  {}\n", path, DescribeGraph(small), check.detail);
}

}  // namespace hone
