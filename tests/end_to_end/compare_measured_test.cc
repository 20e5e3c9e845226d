// `hone compare --measure`: two runners of one machine with different cores; the model is built for and timed on each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "core/json/serialize.h"
#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CompareMeasured : public TrackerChildTest {
 protected:
  // The page's runner, as a line of it starts one, on this machine.
  std::unique_ptr<ChildProgram> RunnerOf(const std::string& line) const {
    std::istringstream in(line);
    std::vector<std::string> words = {std::istream_iterator<std::string>(in), {}};
    std::ranges::replace(words, "tcp://lab:9190", address_);
    words.front() = "--health";
    words.insert(words.begin() + 1, "off");
    return std::make_unique<ChildProgram>(HONE_RUNNER, words, Path("work/runner" + words.back()));
  }
  std::unique_ptr<ChildProgram> RunnerOf(const std::string& key, const std::string& cores,
                                         const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--tracker", address_,  "--key", key,        "--label",
                                      key + "-1",  "--cores", cores,   "--health", "off"};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<ChildProgram>(HONE_RUNNER, words, Path("work/" + key));
  }
};

TEST_F(CompareMeasured, BuildsForEachRunnerAndTimesTheWholePackageThere) {
  const auto left = RunnerOf("left", "0"), right = RunnerOf("right", "1");
  const std::string compare =
      "hone compare zoo:mlp --image-shape 1,14,14 --measure --min-time 10ms --keys left,right --tracker " + address_ +
      " ";
  const ProgramResult measured = Shell(compare + "--json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const Json json = ParseJson(measured.out, "the comparison");
  ASSERT_EQ(json["devices"].size(), 2U) << "two runners are two rows, though they are one machine";
  std::set<std::string> runners;
  for (const Json& device : json["devices"]) {
    runners.insert(device["runners"][0]);
    EXPECT_EQ(device["threads"], 1);
    EXPECT_GT(device["roofs"]["gflops"].get<double>(), 0);
  }
  EXPECT_EQ(runners, (std::set<std::string>{"left/left-1", "right/right-1"}));
  for (const Json& cell : json["cells"]) {
    EXPECT_EQ(cell["origin"], "package");
    EXPECT_GE(cell["samples"].get<int>(), 10);
    EXPECT_GT(cell["ns"].get<int64_t>(), 0);
    ASSERT_GE(cell["layers"].size(), 3U);
    EXPECT_GT(cell["layers"][0]["ns"].get<int64_t>(), 0);
    EXPECT_GT(cell["ratio"].get<double>(), 0);
  }
  EXPECT_EQ(Shell(compare + "--threads 2").code, 78) << "each has one core";
  EXPECT_THAT(Shell(compare + "--target znver3").err, HasSubstr("own target"));
}

// The program in front of the executor's emulates nothing here, but is declared as an emulator.
TEST_F(CompareMeasured, DividesNoTimesByThoseOfAnEmulatedMachine) {
  const auto left = RunnerOf("left", "0"), right = RunnerOf("right", "1"),
             board = RunnerOf("board", "1", {"--emulator", "/usr/bin/env"});
  const std::string compare =
      "hone compare zoo:mlp --image-shape 1,14,14 --measure --min-time 10ms --keys board,left,right --portability "
      "--html page.html --tracker " +
      address_;
  const ProgramResult measured = Shell(compare + " --json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const Json json = ParseJson(measured.out, "the comparison");
  ASSERT_EQ(json["cells"].size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const Json &device = json["devices"][i], &cell = json["cells"][i];
    EXPECT_EQ(device["emulated"], device["runners"][0] == "board/board-1");
    EXPECT_GT(cell["ns"].get<int64_t>(), 0) << "its time is shown";
    EXPECT_EQ(cell.contains("ratio"), !device["emulated"]) << cell;
    EXPECT_EQ(cell["unlike"], device["emulated"] ? Json::array({"emulated"}) : Json::array());
    EXPECT_FALSE(device["emulated"] && cell["reference"]);
  }
  ASSERT_EQ(json["portability"].size(), 1U);
  EXPECT_EQ(json["portability"][0]["configs"].size(), 2U) << "of the two machines";
  EXPECT_THAT(Read("work/page.html"), HasSubstr("class=\"grey\""));
  EXPECT_THAT(Shell("hone compare zoo:mlp --image-shape 1,14,14 --measure --min-time 1ms --keys left,board --tracker " +
                    address_)
                  .out,
              HasSubstr("not compared: emulated"));
}

// The lines that the page types behind this prompt: "ada$ hone ".
std::vector<std::string> LinesOfThePage(const std::string& prompt) {
  std::ifstream page(HONE_FIRST_COMPARISON_PAGE);
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(prompt)) lines.push_back(line.substr(prompt.find(' ')));
  }
  return lines;
}

TEST_F(CompareMeasured, TheWalkOfThePageChoosesAMachine) {
  const auto small = RunnerOf(LinesOfThePage("one$   hone-runner ").at(0)),
             large = RunnerOf(LinesOfThePage("two$   hone-runner ").at(0)),
             board = RunnerOf("board", "0", {"--emulator", "/usr/bin/env"});
  environment["HONE_TRACKER"] = address_;
  const std::vector<std::string> commands = LinesOfThePage("ada$ hone ");
  ASSERT_EQ(commands.size(), 6U);
  std::vector<std::string> said;
  for (const std::string& command : commands) {
    const ProgramResult result = Shell(command);
    ASSERT_EQ(result.code, 0) << command << "\n" << result.err;
    said.push_back(result.out);
  }
  EXPECT_THAT(said[2], AllOf(HasSubstr("small/vps-1core"), HasSubstr("1.00x"), HasSubstr("not compared: emulated")));
  EXPECT_THAT(said[3], HasSubstr("what differs most"));
  EXPECT_THAT(said[4], HasSubstr("on large/vps-2core"));
  EXPECT_THAT(Read("work/r.html"), HasSubstr("data-chart="));
}

TEST_F(CompareMeasured, TimesWhatWasBuiltForEachMachineOnTheOthers) {
  const auto left = RunnerOf("left", "0"), right = RunnerOf("right", "0,1");
  const std::string compare =
      "hone compare zoo:mlp --image-shape 1,14,14 --measure --min-time 10ms --tracker " + address_ + " --keys ";
  const ProgramResult measured = Shell(compare + "left,right --portability --html matrix.html --json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const Json json = ParseJson(measured.out, "the comparison");
  ASSERT_EQ(json["portability"].size(), 1U);
  EXPECT_EQ(json["portability"][0]["origin"], "package");
  const Json& configs = json["portability"][0]["configs"];
  ASSERT_EQ(configs.size(), 2U);
  for (size_t from = 0; from < 2; ++from) {
    EXPECT_EQ(configs[from]["on"][from]["efficiency"], 1.0) << "its own";
    const Json& other = configs[from]["on"][1 - from];
    EXPECT_GE(other["samples"].get<int>(), 10);
    EXPECT_EQ(other["own_ns"], json["cells"][1 - from]["ns"]);
    EXPECT_LE(other["interval_ns"][0], other["ported_ns"]);
    const double ratio = other["own_ns"].get<double>() / other["ported_ns"].get<double>();
    EXPECT_DOUBLE_EQ(other["efficiency"].get<double>(), std::min(1.0, ratio));
    EXPECT_DOUBLE_EQ(configs[from]["portability"].get<double>(), 2 / (1 + 1 / std::min(1.0, ratio)));
  }
  const std::string page = Read("work/matrix.html");
  for (const char* text : {"Portability of", "of its own", "samples), "}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  for (const char* wrong : {"left --portability", "left,left"}) EXPECT_EQ(Shell(compare + wrong).code, 2) << wrong;
}

TEST_F(CompareMeasured, BuildsFromEveryLayerOfRecordsAsABuildDoes) {
  const auto left = RunnerOf("left", "0");
  const std::string model = " zoo:mlp --image-shape 1,14,14 ";
  ASSERT_EQ(Shell("hone tune" + model + "--key left --trials 4 --db tuned.db --tracker " + address_).code, 0);
  ASSERT_EQ(Shell("hone log pack --name p --db tuned.db -o p.honepack").code, 0);
  const auto sources = [&](const std::string& options) {
    const ProgramResult measured = Shell("hone compare" + model + "--measure --min-time 10ms --keys left --json " +
                                         options + " --tracker " + address_);
    EXPECT_EQ(measured.code, 0) << measured.err;
    const Json json = ParseJson(measured.out, "the comparison");
    std::set<std::string> found;
    for (const Json& cell : json["cells"]) {
      for (const Json& layer : cell["layers"]) {
        if (layer["knobs"]) found.insert(layer["source"]);
      }
    }
    return found;
  };
  EXPECT_EQ(sources("--hub p.honepack"), (std::set<std::string>{"record, hub"}));
  EXPECT_EQ(sources("--hub p.honepack --db tuned.db"), (std::set<std::string>{"record"}));
  EXPECT_EQ(sources("--hub p.honepack --no-records"), (std::set<std::string>{"default"}));
}

// Builds the workloads that `hone inspect --tasks` prints for the same machine.
TEST_F(CompareMeasured, BuildsTheTasksThatAreInspected) {
  const auto runner = RunnerOf("left", "0");
  for (const std::string math : {"fast", "exact"}) {
    const std::string options =
        "zoo:squeezenet_v1.1 --image-shape 3,128,128 --batch 4 --json --threads 1 --math " + math;
    const ProgramResult inspected = Shell("hone inspect --tasks " + options);
    const ProgramResult measured =
        Shell("hone compare --measure --min-time 1ms --keys left --tracker " + address_ + " " + options);
    ASSERT_EQ(measured.code, 0) << measured.err;
    const Json told = ParseJson(inspected.out, "the tasks"), compared = ParseJson(measured.out, "the comparison");
    std::set<std::string> tasks;
    for (const Json& task : told["tasks"]) tasks.insert(task["workload"]);
    int knobs = 0;
    for (const Json& layer : compared["cells"][0]["layers"]) {
      if (!layer["knobs"]) continue;
      ++knobs;
      EXPECT_TRUE(tasks.contains(layer["name"])) << layer["name"];
    }
    EXPECT_GT(knobs, 0);
  }
}

}  // namespace
}  // namespace hone
