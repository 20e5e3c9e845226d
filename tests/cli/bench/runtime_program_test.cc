// `hone runtime`, with hone's own adapter, adapters that are at fault, and those that are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class RuntimeProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Shell("python3 -c ''").code != 0)
      GTEST_SKIP() << "there is no python3, in which the faulty adapters are written";
    environment["PIDS"] = Path("pids");
    Write("pids", "");
  }
  ProgramResult Check(const std::string& fault, const std::string& options = "") {
    environment["FAULT"] = fault;
    return Shell("hone runtime check " HONE_SOURCE_DIR "/tests/data/tampering_adapter.py --json " + options);
  }
  // The process ids that a faulty adapter wrote, and that live.
  std::vector<int> Alive() const {
    std::istringstream in(Read("pids"));
    std::vector<int> alive;
    for (int pid = 0; in >> pid;) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string number, name, state;
      // An ended process may wait to be reaped.
      if (stat >> number >> name >> state && state != "Z") alive.push_back(pid);
    }
    return alive;
  }
  // Whether Python has the modules where scripts/test.sh installs them.
  bool HasReaders(const std::string& modules) {
    environment["PYTHONPATH"] = HONE_SOURCE_DIR "/build/readers";
    return Shell("python3 -c 'import numpy, " + modules + "'").code == 0;
  }
};

struct FaultCase {
  std::string fault, check, text;  // check: empty if any may find it
  std::string variable = "";       // NAME=VALUE
};

TEST_F(RuntimeProgram, FindsEachFault) {
  const FaultCase cases[] = {
      {"wrong outputs", "outputs", "output 0 differs from the float64 reference by"},
      {"same outputs", "other inputs", "output 0 differs from the float64 reference by"},
      {"no outputs", "outputs", "it gives 0 outputs, and the model has 1"},
      {"huge shape", "outputs", "gives its outputs wrongly: tensor output has too few bytes"},
      {"hangs", "load", "gave no answer to loading ", "AT=load"},
      {"crashes", "outputs", "was ended by signal 11 without an answer to 1 run; it said: the runtime meets a strange"},
      {"ends", "outputs", "ended with exit code 3 without an answer to 1 run"},
      {"nonsense", "outputs", "answers 1 run by \"Warning: running\\u001b[31m slowly\", which is no object of JSON"},
      {"floods", "hello", "answers hello by a line of more than 1048576 bytes", "AT=hello"},
      {"floods stderr", "outputs", "writes without end to stderr during 1 run"},
      {"speaks unasked", "outputs", "without being asked"},
      // Other programs decide which check meets a wrong time first.
      {"tells half", "", ": its times are not believed", "SLEEP_MS=5"},
      {"tells double", "", ": its times are not believed", "SLEEP_MS=5"},
      {"tells nothing in turns", "", ": its times are not believed", "SLEEP_MS=5"},
      {"tells one time too many", "outputs", "answers 1 run by 2 times"},
      {"tells zero", "outputs", "answers 1 run wrongly: "},
      {"version 2", "hello", "speaks version 2 of the protocol of adapters, not 1"},
      {"no name", "hello", "answers hello wrongly: "},
      {"no precision", "load", "tells no precision of the loaded model; right are bfloat16, float16, float32"},
      {"not installed", "hello", "cannot run: No module named 'runtime'; `python3 -m pip install runtime` installs it"},
      {"accepts all", "a missing model", "is not answered by an error"},
      {"does not end", "bye", "it does not end with exit code 0 within 10 s"},
      {"leaves a program", "bye", "leaves programs behind"},
  };
  for (const FaultCase& each : cases) {
    if (const size_t equals = each.variable.find('='); equals != std::string::npos) {
      environment[each.variable.substr(0, equals)] = each.variable.substr(equals + 1);
    }
    const ProgramResult r = Check(each.fault, each.fault == "hangs" ? "--runtime-timeout 2s" : "");
    environment.erase("AT");
    environment.erase("SLEEP_MS");
    ASSERT_EQ(r.code, 1) << each.fault << "\n" << r.out << r.err;
    const Json checks = ParseJson(r.out, "the checks")["checks"];
    const auto found =
        std::find_if(checks.begin(), checks.end(), [](const Json& check) { return check["finding"] == "FAULT"; });
    ASSERT_NE(found, checks.end()) << each.fault;
    if (!each.check.empty()) {
      EXPECT_EQ((*found)["check"], each.check) << each.fault << ": " << *found;
    }
    EXPECT_THAT((*found)["text"].get<std::string>(), HasSubstr(each.text)) << each.fault;
    EXPECT_THAT((*found)["text"].get<std::string>(), Not(HasSubstr("\n")));
    EXPECT_TRUE(Alive().empty()) << each.fault;
  }
}

TEST_F(RuntimeProgram, FindsNoFaultInHoneBehindAProxy) {
  const ProgramResult r = Check("", "--model zoo:squeezenet");
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_EQ(ParseJson(r.out, "the checks")["sound"], true);
}

// No destructor runs then: the system ends the adapter.
TEST_F(RuntimeProgram, LeavesNoAdapterWhenItIsKilled) {
  environment["FAULT"] = "hangs";
  Shell("timeout -s KILL 5 \"$HONE\" runtime check " HONE_SOURCE_DIR "/tests/data/tampering_adapter.py");
  ASSERT_NE(Read("pids"), "");
  for (int i = 0; i < 50 && !Alive().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(Alive().empty());
}

TEST_F(RuntimeProgram, ListsWhatIsInstalled) {
  const std::string out = Do("runtime list");
  EXPECT_THAT(out, ContainsRegex("\nhone +hone [0-9.]+"));
  EXPECT_THAT(out, ContainsRegex("\nonnxruntime "));
  EXPECT_THAT(out, ContainsRegex("\nopenvino "));
  EXPECT_THAT(Shell("hone runtime list --python no-python").out, HasSubstr("no-python cannot be started"));
}

TEST_F(RuntimeProgram, NamesWhatWouldBeRight) {
  EXPECT_THAT(Shell("hone runtime check onnxruntme").err, HasSubstr("did you mean onnxruntime?"));
  EXPECT_EQ(Shell("hone runtime check ./missing").code, 66);
  EXPECT_THAT(Shell("hone runtime check openvino:fast").err, HasSubstr("openvino:precision=default"));
  const ProgramResult r = Shell("hone runtime check hone:precision=int8");
  EXPECT_THAT(r.out, HasSubstr("has no setting precision; it has none"));
}

TEST_F(RuntimeProgram, OnnxRuntimeIsSound) {
  if (!HasReaders("onnxruntime")) GTEST_SKIP() << "python3 lacks onnxruntime";
  const ProgramResult r = Shell("hone runtime check onnxruntime:optimisation=basic");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, ContainsRegex("hello +ok +ONNX Runtime [0-9.]+ \\(optimisation=basic\\)"));
}

TEST_F(RuntimeProgram, OpenVinoIsSound) {
  if (!HasReaders("openvino")) GTEST_SKIP() << "python3 lacks openvino";
  const ProgramResult r = Shell("hone runtime check openvino");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST_F(RuntimeProgram, MnnIsSound) {
  if (!HasReaders("MNN")) GTEST_SKIP() << "python3 lacks MNN";
  const ProgramResult r = Shell("hone runtime check mnn --model zoo:squeezenet");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST_F(RuntimeProgram, NcnnIsSound) {
  if (!HasReaders("ncnn, pnnx")) GTEST_SKIP() << "python3 lacks ncnn, pnnx";
  for (const std::string model : {"zoo:mlp", "zoo:squeezenet"}) {
    const ProgramResult r = Shell("hone runtime check ncnn --model " + model);
    EXPECT_EQ(r.code, 0) << r.out << r.err;
  }
}

TEST_F(RuntimeProgram, ThePagesAdapterIsShortAndSound) {
  if (!HasReaders("onnxruntime")) GTEST_SKIP() << "python3 lacks onnxruntime";
  Write("work/page.sh",
        "sed -n '/^```python/,/^```/p' \"" HONE_SOURCE_DIR "/docs/reference/adapter.md\" | grep -v '^```'");
  const ProgramResult code = Shell("sh page.sh > adapter.py && chmod +x adapter.py && wc -l < adapter.py");
  ASSERT_EQ(code.code, 0);
  EXPECT_LE(std::stoi(code.out), 60);
  const ProgramResult r = Shell("hone runtime check ./adapter.py");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

}  // namespace
}  // namespace hone
