// The results of the graphs checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tests/random_graphs/check_graph.h"

namespace hone {

class GraphReport {
 public:
  // An empty folder name means that nothing is shrunk.
  explicit GraphReport(std::string shrink_folder) : shrink_folder_(std::move(shrink_folder)) {}

  // Prints a failure, and writes the smallest model with the same failure into the folder.
  void Add(const std::string& name, const OnnxGraph& graph, const GraphRun& run, const GraphCheck& check);

  // Prints the counts; returns whether every graph was right. A refused graph counts as wrong: each of its nodes was
  // imported when it was drawn.
  bool Finish(double seconds) const;

 private:
  void Shrink(const std::string& name, const OnnxGraph& graph, const GraphRun& run, Verdict verdict);

  std::string shrink_folder_;
  std::map<Verdict, int64_t> verdicts_{{Verdict::kRight, 0}, {Verdict::kRefused, 0}};
  std::map<std::string, int64_t> families_;
};

}  // namespace hone
