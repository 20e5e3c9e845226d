// onnx's own cases: all but the excluded ones give the numbers that onnx expects.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "tests/onnx_cases/case_pack.h"
#include "tests/onnx_cases/run_case.h"

namespace hone {
namespace {

using Verdict = CaseResult::Verdict;
using Exclusions = std::map<std::string, std::string>;  // the reason, by "SET NAME"

const std::string kData = std::string(HONE_TEST_DATA) + "/onnx_cases";

Exclusions ReadExclusions() {
  Exclusions exclusions;
  std::ifstream in(kData + "/exclusions.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string set, name, reason;
    words >> set >> name >> std::ws;
    std::getline(words, reason);
    EXPECT_FALSE(reason.empty()) << line;
    EXPECT_TRUE(exclusions.emplace(set + " " + name, reason).second) << line;
  }
  return exclusions;
}

// The number of cases by set and reason, over every case run.
class Table {
 public:
  void Add(const OnnxCase& one, const std::string& result) {
    ++sets_[one.set][result];
    ++all_[result];
  }
  void Print(std::ostream& out) const {
    for (const auto& [set, results] : sets_) {
      for (const auto& [result, count] : results) out << set << ": " << count << " " << result << "\n";
    }
    for (const auto& [result, count] : all_) out << "all: " << count << " " << result << "\n";
  }

 private:
  std::map<std::string, std::map<std::string, int>> sets_;
  std::map<std::string, int> all_;
};

std::string Judge(const OnnxCase& one, const Exclusions& exclusions) {
  const CaseResult result = RunCase(one);
  const auto excluded = exclusions.find(one.set + " " + one.name);
  const bool is_excluded = excluded != exclusions.end();
  if (result.verdict == Verdict::kRefused && is_excluded) return "excluded: " + excluded->second;
  if (is_excluded) {
    ADD_FAILURE() << one.name << " is excluded and was not refused: take it out";
    return "excluded and read";
  }
  if (result.verdict == Verdict::kRight) return "right";
  if (result.verdict == Verdict::kRightWithConstants) return "right with constants";
  ADD_FAILURE() << one.set << " " << one.name << ": " << result.why;
  return result.verdict == Verdict::kRefused ? "refused" : "wrong";
}

// With a sanitizer only every tenth case is run.
#ifdef HONE_SANITIZED
constexpr size_t kStride = 10;
#else
constexpr size_t kStride = 1;
#endif

TEST(OnnxCases, AreRightButForTheExclusions) {
  const CasePack pack(kData + "/cases.gz");
  const Exclusions exclusions = ReadExclusions();
  Table table;
  for (size_t i = 0; i < pack.cases().size(); i += kStride) {
    table.Add(pack.cases()[i], Judge(pack.cases()[i], exclusions));
  }
  std::cout << "onnx " << pack.onnx_version() << "\n";
  table.Print(std::cout);
}

// One node each of ONNX Runtime's own operators, with the numbers that its CPU computes.
TEST(OnnxCases, OfOnnxRuntimeAreRight) {
  const CasePack pack(kData + "/runtime_cases.gz");
  Table table;
  for (size_t i = 0; i < pack.cases().size(); i += kStride) table.Add(pack.cases()[i], Judge(pack.cases()[i], {}));
  std::cout << "onnxruntime " << pack.onnx_version() << "\n";
  table.Print(std::cout);
}

TEST(OnnxCases, ExclusionsNameCases) {
  const CasePack pack(kData + "/cases.gz");
  Exclusions left = ReadExclusions();
  for (const OnnxCase& one : pack.cases()) {
    const bool is_excluded = left.erase(one.set + " " + one.name) > 0;
    EXPECT_TRUE(is_excluded || !one.data.empty()) << one.name << " has no tensors to be judged by";
  }
  for (const auto& [name, reason] : left) ADD_FAILURE() << "no case is " << name;
}

using Rows = std::map<std::string, std::string>;

// Reads docs/reference/onnx.md's table that begins with `header`: the last cells by the first.
Rows RowsOfPage(const std::string& header) {
  std::ifstream page(std::string(HONE_SOURCE_DIR) + "/docs/reference/onnx.md");
  Rows rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == header) {
      inside = true;
    } else if (inside && line.rfind("| --- |", 0) != 0) {
      if (line.empty()) break;
      const size_t first = line.find(" | ");
      rows[line.substr(2, first - 2)] = line.substr(first + 3, line.size() - first - 5);
    }
  }
  return rows;
}

TEST(OnnxCases, ThePageCountsThem) {
  const CasePack pack(kData + "/cases.gz");
  const Exclusions exclusions = ReadExclusions();
  std::map<std::string, int> packed, excluded, reasons;
  for (const OnnxCase& one : pack.cases()) {
    ++packed[one.set];
    excluded[one.set] += static_cast<int>(exclusions.count(one.set + " " + one.name));
  }
  for (const auto& [name, reason] : exclusions) ++reasons[reason];
  Rows sets, missing;
  for (const auto& [set, count] : packed) {
    sets[set] = std::to_string(count) + " | " + std::to_string(count - excluded[set]);
  }
  for (const auto& [reason, count] : reasons) missing[reason] = std::to_string(count);
  EXPECT_EQ(RowsOfPage("| set | cases | right |"), sets);
  EXPECT_EQ(RowsOfPage("| what is missing | cases |"), missing);
}

}  // namespace
}  // namespace hone
