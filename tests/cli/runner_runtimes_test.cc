// Runtimes that a runner offers, with a real tracker and a real runner, and adapters that try what they may not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"
#include "tests/support/page_session.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class RunnerRuntimes : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Shell("/usr/bin/python3 -c ''").code != 0)
      GTEST_SKIP() << "there is no /usr/bin/python3, in which the adapters are written";
    const ProgramResult sandbox = Shell(
        "'" HONE_RUNNER
        "' --sandbox '{\"reads\": [], \"memory_bytes\": 100000000, \"most_tasks\": 100, \"user\": \"\"}' /bin/true");
    if (sandbox.code == 78) GTEST_SKIP() << sandbox.err;
    ASSERT_EQ(sandbox.code, 0) << sandbox.err;
    environment["HONE_PYTHON"] = "/usr/bin/python3";
    environment["HONE_SECRET"] = "a secret of the runner's";
    Write("work/m.relay", "def @main(%x: Tensor[(1, 8), float32]) {\n  %0 = negative(%x);\n  negative(%0)\n}\n");
    ASSERT_EQ(
        Shell("mkdir adapters secret && echo key > secret/identity && chmod a+rx . .. && chmod a+r secret/identity "
              "&& cp " HONE_SOURCE_DIR "/tests/data/hostile_adapter.py adapters/hostile.py")
            .code,
        0);
  }
  void TearDown() override {
    Shell("for file in *.pid; do kill -TERM $(cat $file) 2>/dev/null; done; sleep 0.2");
    ProgramTest::TearDown();
  }
  // Starts a tracker, which $HONE_TRACKER then names.
  void StartTracker() {
    Shell(
        "\"$HONE\" tracker --bind 'tcp://127.0.0.1:*' --port-file port >tracker.out 2>&1 & echo $! > tracker.pid; "
        "for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done");
    std::string address = Read("work/port");
    while (address.ends_with('\n')) address.pop_back();
    ASSERT_NE(address, "") << Read("work/tracker.out");
    environment["HONE_TRACKER"] = address;
  }
  // Starts a runner with these options and waits until the tracker knows it.
  void StartRunner(const std::string& key, const std::string& options) {
    Shell("timeout 500 '" HONE_RUNNER "' --tracker $HONE_TRACKER --key " + key + " --label " + key + " --health off " +
          options + " 2>" + key + ".err & echo $! > " + key + ".pid; for i in $(seq 400); do hone devices | grep -q " +
          key + " && break; sleep 0.05; done");
    ASSERT_THAT(Shell("hone devices").out, HasSubstr(key)) << Read("work/" + key + ".err");
  }
  ProgramResult Bench(const std::string& runtimes, const std::string& options) {
    return Shell("hone bench m.relay --no-records --threads 1 --tracker $HONE_TRACKER --key pi --runtime " + runtimes +
                 " " + options);
  }
  bool Lives(const std::string& name) const {
    return Shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -qx " + name).code == 0;
  }
};

TEST_F(RunnerRuntimes, AreTimedWhereTheyAreOffered) {
  StartTracker();
  StartRunner("pi", "--runtime sound=adapters/hostile.py");
  const ProgramResult r = Bench("hone,sound", "--min-time 60ms --rounds 8 --json");
  ASSERT_EQ(r.code, 0) << r.out << r.err << Read("work/pi.err");
  const Json offered = ParseJson(Do("devices --json"), "the devices")["runners"][0]["runtimes"];
  EXPECT_EQ(offered, ParseJson(R"([{"runtime": "sound", "name": "Hostile", "version": "1"}])", "text"));
  EXPECT_THAT(Do("devices"), HasSubstr("Hostile 1"));
  const Json result = ParseJson(r.out, "the result");
  ASSERT_EQ(result["runtimes"].size(), 2);
  const Json &hone = result["runtimes"][0], &sound = result["runtimes"][1];
  EXPECT_EQ(hone["fastest"], true) << result.dump();
  EXPECT_EQ(hone["rounds"].size(), 8);
  EXPECT_EQ(sound["name"], "Hostile 1");
  EXPECT_EQ(sound["precision"], "float32");
  EXPECT_GT(sound["p10_ns"], 2'000'000);
  EXPECT_EQ(sound["error"], 0);
  EXPECT_EQ(result["conditions"]["there"], true);
}

TEST_F(RunnerRuntimes, AreNamedWhereTheyAreNot) {
  StartTracker();
  StartRunner("pi", "");
  const ProgramResult r = Bench("hone,onnxruntime", "--min-time 20ms --rounds 2");
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("onnxruntime: this runner offers no runtime onnxruntime; it offers none"));
  EXPECT_THAT(r.out, ContainsRegex("\nhone [0-9.]+ +float32 +1 +[1-9]"));
  const std::string runner =
      "timeout 60 '" HONE_RUNNER "' --tracker tcp://127.0.0.1:1 --key pi --health off --runtime ";
  const ProgramResult wrong = Shell(runner + "hone");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("NAME=PROGRAM would be right"));
  EXPECT_EQ(Shell(runner + "x=adapters/missing.py").code, 66);
  EXPECT_THAT(Shell(runner + "a=adapters/hostile.py --runtime a=adapters/hostile.py").err, HasSubstr("given twice"));
  const ProgramResult dumb = Shell(runner + "x=/bin/true");
  EXPECT_EQ(dumb.code, 69);
  EXPECT_THAT(dumb.err, HasSubstr("ended with exit code 0 without an answer to hello"));
}

// The faults, and a part of what the row of the runtime then says.
const std::vector<std::pair<std::string, std::string>> kFaults = {
    {"write_own", "it said: refused: write_own"},
    {"write_root", "it said: refused: write_root"},
    {"write_model", "it said: refused: write_model"},
    {"read_key", "it said: refused: read_key"},
    {"read_shadow", "it said: refused: read_shadow"},
    {"read_passwd", "it said: refused: read_passwd"},
    {"read_first_process", "it said: refused: read_first_process"},
    {"read_variables", "it said: refused: read_variables"},
    {"connect", "it said: refused: connect"},
    {"vsock", "it said: refused: vsock"},
#ifdef __x86_64__
    {"unshare", "it said: refused: unshare"},
    {"mount", "it said: refused: mount"},
    {"remount", "it said: refused: remount"},
    {"memory_file", "it said: refused: memory_file"},
    {"keyring", "it said: refused: keyring"},
#endif
    {"become_root", "it said: refused: become_root"},
    {"kill_first", "it said: refused: kill_first: it lives"},
    {"fork_bomb", "the sandbox ended it: "},
    {"eat_memory", "emory"},
    {"eat_by_children", "it needs more than 400 MiB of memory"},
    {"fill_tmp", ""},
    {"never_answer", "gave no answer to 1 run within 8 s"},
    {"endless_output", "by a line of more than"},
    {"endless_stderr", "writes without end to stderr"},
    {"crash", "was ended by signal 6"},
    {"wrong_outputs", "differs from the float64 reference"},
    {"huge_shape", "has too few bytes for"},
    {"short_times", "its times are not believed"},
    {"long_times", "its times are not believed"},
    {"turn_times", "its times are not believed"},
};

TEST_F(RunnerRuntimes, GainNothingByFaults) {
  std::string runtimes = "hone";
  for (const auto& [fault, said] : kFaults) runtimes += ",h:fault=" + fault;
  runtimes += ",h:fault=leave_program";
  StartTracker();
  StartRunner("pi", "--runtime h=adapters/hostile.py --max-memory 400M");
  const ProgramResult r = Bench(runtimes, "--min-time 40ms --rounds 2 --runtime-timeout 8s --json");
  ASSERT_EQ(r.code, 1) << r.out << r.err << Read("work/pi.err");
  const Json rows = ParseJson(r.out, "the result")["runtimes"];
  ASSERT_EQ(rows.size(), kFaults.size() + 2);
  EXPECT_TRUE(rows[0].contains("p10_ns")) << rows[0];
  for (size_t i = 0; i < kFaults.size(); ++i) {
    const auto& [fault, said] = kFaults[i];
    const Json& row = rows[i + 1];
    const std::string why_not = row["why_not"];
    EXPECT_FALSE(row.contains("p10_ns")) << fault;
    EXPECT_NE(why_not, "") << fault;
    EXPECT_THAT(why_not, HasSubstr(said)) << fault;
    EXPECT_THAT(why_not, Not(HasSubstr("GOT"))) << fault;
    EXPECT_THAT(why_not, Not(HasSubstr("\n"))) << fault;
  }
  EXPECT_TRUE(rows.back().contains("p10_ns")) << rows.back();
  EXPECT_FALSE(Lives("'[h]one-hostile-sleep'"));
}

TEST_F(RunnerRuntimes, AreComparedOnTwoMachines) {
  StartTracker();
  StartRunner("desk", "--runtime sound=adapters/hostile.py");
  StartRunner("rack", "");
  const std::string compare =
      "hone compare m.relay --measure --no-records --threads 1 --min-time 60ms --keys desk,rack --runtime hone,sound "
      "--price desk=0.5/h ";
  const ProgramResult r = Shell(compare + "--html page.html");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("m.relay (median, precision, largest error of an output, price of a million images)"));
  EXPECT_THAT(r.out, ContainsRegex("\nmachine +hone +sound\n"));
  EXPECT_THAT(r.out, ContainsRegex("\n[^\n]*desk[^\n]* [0-9.]+ [un]s, float32, [^\n]*/M fastest +2[.0-9]+ ms, float32, "
                                   "0e[+]00, [0-9.e-]+/M\n"));
  EXPECT_THAT(r.out, ContainsRegex("\n[^\n]*rack[^\n]* float32[^\n]* not timed\n"));
  EXPECT_THAT(r.out, HasSubstr("sound: this runner offers no runtime sound"));
  EXPECT_THAT(Read("work/page.html"), HasSubstr("Runtimes on machines"));
  EXPECT_THAT(Read("work/page.html"), HasSubstr("fastest"));
  const Json d = ParseJson(Shell(compare + "--json | tee table.json").out, "the table");
  const Json& machines = d["models"][0]["machines"];
  ASSERT_EQ(machines.size(), 2);
  EXPECT_EQ(machines[0]["key"], "desk");
  EXPECT_EQ(machines[0]["price_per_hour"], 0.5);
  EXPECT_GT(machines[0]["runtimes"][1]["price_per_million"], 0.27);
  EXPECT_FALSE(machines[1]["runtimes"][1].contains("p10_ns"));
  EXPECT_EQ(Shell(compare + "--portability").code, 2);
  const ProgramResult report = Shell("hone report --db none.db --runtimes table.json -o report.html");
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(Read("work/report.html"), HasSubstr(">not timed</td>"));
  EXPECT_THAT(Read("work/report.html"), HasSubstr("this runner offers no runtime sound"));
}

TEST_F(RunnerRuntimes, AKeptPackageIsTimedAgainThere) {
  StartTracker();
  StartRunner("pi", "");
  ASSERT_EQ(Shell("hone build zoo:mlp --image-shape 1,14,14 --no-records --threads 1 -o m.hone").code, 0);
  const std::string bench = "hone bench m.hone --threads 1 --tracker $HONE_TRACKER --key pi --min-time 10ms --db s.db ";
  const ProgramResult kept = Shell(bench + "--save first");
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("kept as first"));
  const ProgramResult again = Shell(bench + "--baseline first --fail-above 50% --json");
  ASSERT_EQ(again.code, 0) << again.err;
  const Json d = ParseJson(again.out, "the result");
  ASSERT_EQ(d["packages"].size(), 2);
  EXPECT_EQ(d["conditions"]["cache"], "turns");
  EXPECT_EQ(d["conditions"]["there"], true);
  ASSERT_EQ(d["verdicts"].size(), 1);
  EXPECT_NE(d["verdicts"][0]["verdict"], "slower");
}

TEST_F(RunnerRuntimes, AreComparedAsThePageShows) {
  environment["HONE_PYTHON"] = "python3";
  environment["PYTHONPATH"] = HONE_SOURCE_DIR "/build/readers";  // where scripts/test.sh installs them
  if (Shell("python3 -c 'import onnxruntime, openvino'").code != 0) {
    GTEST_SKIP() << "python3 has no onnxruntime and openvino";
  }
  ASSERT_EQ(Shell("sed -n '/^```python/,/^```/p' \"" HONE_SOURCE_DIR "/docs/reference/adapter.md\" | grep -v '^```' > "
                  "adapter.py && chmod +x adapter.py")
                .code,
            0);
  StartTracker();
  for (const std::string key : {"desk", "rack"}) {
    StartRunner(key, "--runtime onnxruntime --runtime-reads " HONE_SOURCE_DIR "/build/readers");
  }
  ExpectSaysWhatItShows(HONE_SOURCE_DIR "/docs/howto/compare_runtimes.md", 8,
                        [this](const std::string& line) { return Shell(line); });
}

}  // namespace
}  // namespace hone
