// `hone bench --runtime`: runtimes behind adapters, in turns, with hone's own adapter behind a proxy as another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class RuntimeBench : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Shell("python3 -c ''").code != 0) GTEST_SKIP() << "there is no python3, in which the other adapter is written";
    ASSERT_EQ(Shell("hone zoo mlp --classes 10 --image-shape 1,14,14 -o m.onnx && "
                    "cp " HONE_SOURCE_DIR "/tests/data/tampering_adapter.py other.py")
                  .code,
              0);
    environment["PIDS"] = Path("pids");
  }
  ProgramResult Bench(const std::string& options) {
    return Shell("hone bench --no-records --threads 1 --min-time 20ms " + options);
  }
};

TEST_F(RuntimeBench, MarksTheFastestIfEachOtherIsSlower) {
  environment["SLEEP_MS"] = "2";
  const ProgramResult r = Bench("m.onnx --runtime hone,./other.py");
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, ContainsRegex("\nhone [0-9.]+ +float32 +1 +[0-9]+ .* fastest\n"));
  EXPECT_THAT(r.out, ContainsRegex("\nhone [0-9.]+ +float32 +1 +[0-9]+ .* [0-9.]+x the time\n"));
  EXPECT_THAT(r.out,
              ContainsRegex("\nhone [0-9.]+ is [0-9.]+ times as fast as hone [0-9.]+ \\([^\n]*, p 0.00[0-9]*\\)\n"));
  EXPECT_EQ(Bench("m.onnx --runtime hone,./other.py --fail-above 2%").code, 0);
  EXPECT_EQ(Bench("m.onnx --runtime ./other.py,hone --fail-above 2%").code, 1);
}

TEST_F(RuntimeBench, WritesAllAsJson) {
  environment["SLEEP_MS"] = "2";
  const Json d = ParseJson(Bench("m.onnx --against ./other.py --rounds 3 --json").out, "the result");
  EXPECT_EQ(d["conditions"]["cache"], "turns");
  ASSERT_EQ(d["packages"].size(), 1);
  EXPECT_EQ(d["packages"][0]["path"], "m.onnx");
  EXPECT_EQ(d["packages"][0]["rounds"].size(), 3);
  ASSERT_EQ(d["runtimes"].size(), 2);
  const Json &hone = d["runtimes"][0], &other = d["runtimes"][1];
  EXPECT_EQ(hone["runtime"], "hone");
  EXPECT_EQ(other["runtime"], "./other.py");
  EXPECT_EQ(other["rounds"].size(), 3);
  EXPECT_GT(other["p10_ns"], 2'000'000);
  EXPECT_LT(hone["error"], 1e-4);
  EXPECT_EQ(hone["precision"], "float32");
  EXPECT_GT(hone["memory_bytes"], 0);
  // Three rounds are too few to mark one.
  EXPECT_EQ(hone["fastest"], false);
  EXPECT_EQ(other["against_least"]["verdict"], "cannot tell");
  EXPECT_EQ(d["verdicts"].size(), 1);
}

TEST_F(RuntimeBench, TimesTheOthersIfOneIsWrong) {
  environment["FAULT"] = "wrong outputs";
  const ProgramResult r = Bench("m.onnx --runtime hone,./other.py");
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, ContainsRegex("not timed\n"));
  EXPECT_THAT(r.out, HasSubstr(": output 0 differs from the float64 reference by "));
  EXPECT_THAT(r.out, Not(HasSubstr("fastest")));
  const Json d = ParseJson(Bench("m.onnx --runtime ./other.py --json").out, "the result");
  EXPECT_EQ(d["runtimes"].size(), 1);
  EXPECT_FALSE(d["runtimes"][0].contains("p10_ns"));
  environment["FAULT"] = "crashes";
  environment["AT"] = "load";
  EXPECT_THAT(Bench("m.onnx --runtime ./other.py,hone").out,
              HasSubstr("was ended by signal 11 without an answer to loading"));
}

TEST_F(RuntimeBench, BelievesNoTimesThatTurnsBelie) {
  environment["FAULT"] = "tells nothing in turns";
  environment["SLEEP_MS"] = "20";
  const ProgramResult r = Bench("m.onnx --runtime hone,./other.py");
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_THAT(r.out, HasSubstr("more passed outside: its times are not believed"));
  EXPECT_THAT(r.out, ContainsRegex("\nhone [0-9.]+ +float32 +1 +[1-9]"));
}

TEST_F(RuntimeBench, KeepsTheOthersTimesIfOneFailsInItsTurns) {
  environment["FAULT"] = "crashes later";
  const Json d = ParseJson(Bench("m.onnx --runtime hone,./other.py,hone --rounds 10 --json").out, "the result");
  const Json &hone = d["runtimes"][0], &other = d["runtimes"][1], &again = d["runtimes"][2];
  EXPECT_EQ(hone["rounds"].size(), 10) << d.dump();
  EXPECT_EQ(again["rounds"].size(), 10);
  EXPECT_FALSE(other.contains("rounds"));
  EXPECT_THAT(other["why_not"].get<std::string>(), HasSubstr("was ended by signal 11 without an answer to"));
}

TEST_F(RuntimeBench, WritesCsvAndMarkdown) {
  ASSERT_EQ(Bench("m.onnx --runtime hone,./other.py --rounds 2 --write csv=t.csv --write markdown=t.md").code, 0);
  const std::string csv = Read("work/t.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  EXPECT_THAT(csv, ContainsRegex("\nm.onnx,"));
  EXPECT_THAT(csv, ContainsRegex("\nhone [0-9.]+,[^\n]*,1,1,float32,2,"));
  EXPECT_THAT(Read("work/t.md"), HasSubstr("| runtime | precision | threads | p10 | median | error | verdict |"));
}

TEST_F(RuntimeBench, NamesWhatWouldBeRight) {
  environment["FAULT"] = "not installed";
  const ProgramResult missing = Bench("m.onnx --against ./other.py");
  EXPECT_EQ(missing.code, 69);
  EXPECT_THAT(missing.err,
              HasSubstr("./other.py cannot run: No module named 'runtime'; `python3 -m pip install runtime`"));
  environment["FAULT"] = "";
  EXPECT_EQ(Bench("m.onnx --against onnxruntime --python no-such-python").code, 69);
  EXPECT_THAT(Bench("m.onnx m.onnx --runtime hone").err, HasSubstr("--runtime times one model"));
  EXPECT_THAT(Bench("m.onnx --runtime hone --streams 2").err, HasSubstr("--streams"));
  EXPECT_THAT(Bench("m.onnx --runtime hone,onxruntime").err, HasSubstr("did you mean onnxruntime?"));
  Shell("hone build m.onnx -o m.hone --no-records");
  EXPECT_EQ(Shell("hone bench m.hone --runtime hone").code, 2);
}

TEST_F(RuntimeBench, TimesOnnxRuntimeAndOpenVino) {
  environment["PYTHONPATH"] = HONE_SOURCE_DIR "/build/readers";  // where scripts/test.sh installs them
  if (Shell("python3 -c 'import onnxruntime, openvino'").code != 0) {
    GTEST_SKIP() << "python3 has no onnxruntime and openvino";
  }
  for (const std::string model : {"m.onnx", "zoo:mlp"}) {
    const ProgramResult r = Bench(model + " --runtime hone,onnxruntime,openvino:precision=default");
    ASSERT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_THAT(r.out, ContainsRegex("\nONNX Runtime [0-9.]+ +float32 "));
    EXPECT_THAT(r.out, ContainsRegex("\nOpenVINO [0-9.]+ \\(precision=default\\) +b?float"));
  }
}

}  // namespace
}  // namespace hone
