// The program from end to end on a small network, without tuning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Program : public ProgramTest {
 protected:
  // Runs with --json; expects success, exactly one document on stdout, and no next command.
  Json HoneJson(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const ProgramResult r = Hone(arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.err, testing::Not(HasSubstr("next:")));
    return ParseJson(r.out, arguments[0]);
  }
  void BuildMlp() {
    ASSERT_EQ(Hone({"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/mlp.hone"), "--no-records"}).code,
              0);
  }
};

TEST_F(Program, HelpListsTheCommands) {
  const ProgramResult r = Hone({"--help"});
  EXPECT_EQ(r.code, 0);
  for (const char* name : {"zoo", "inspect", "tune", "build", "run", "bench", "verify", "log", "doctor"})
    EXPECT_THAT(r.out, HasSubstr(name));
}

TEST_F(Program, HelpOfEachCommandNamesItsOptions) {
  EXPECT_THAT(Hone({"tune", "--help"}).out, HasSubstr("--budget"));
  EXPECT_THAT(Hone({"log", "best", "--help"}).out, HasSubstr("--workload"));
}

TEST_F(Program, VersionNamesLlvmAndFormats) {
  const std::string text = Hone({"--version"}).out;
  EXPECT_THAT(text, HasSubstr("LLVM 19."));
  const Json json = HoneJson({"--version"});
  for (const std::string format :
       {"package", "plan", "store", "protocol", "log", "pack", "bench", "comparison", "health"}) {
    ASSERT_TRUE(json.contains(format)) << format;
    EXPECT_THAT(text, HasSubstr(format + " " + json[format].dump()));
  }
}

TEST_F(Program, ZooWritesAModelThatInspectReads) {
  ASSERT_EQ(Hone({"zoo", "mlp", "--image-shape", "1,14,14", "-o", Path("work/m.onnx")}).code, 0);
  const Json summary = HoneJson({"inspect", Path("work/m.onnx")});
  EXPECT_EQ(summary["inputs"].size(), 1u);
  EXPECT_GT(summary["parameters"].get<int64_t>(), 1000);
  EXPECT_EQ(summary["parameters"], HoneJson({"inspect", "zoo:mlp", "--image-shape", "1,14,14"})["parameters"]);
}

TEST_F(Program, InspectShowsTextWalkAndTasks) {
  EXPECT_THAT(Hone({"inspect", "zoo:mlp", "--image-shape", "1,14,14", "--text"}).out, HasSubstr("def @main("));
  EXPECT_THAT(Hone({"inspect", "zoo:mlp", "--image-shape", "1,14,14", "--walk"}).out, HasSubstr("Call\n"));
  EXPECT_GE(HoneJson({"inspect", "zoo:mlp", "--image-shape", "1,14,14", "--tasks"})["tasks"].size(), 1u);
}

TEST_F(Program, SpaceTakesAWorkloadThatTasksPrint) {
  const Json tasks = HoneJson({"inspect", "zoo:mlp", "--image-shape", "1,14,14", "--tasks"})["tasks"];
  ASSERT_FALSE(tasks.empty());
  const Json space = HoneJson({"space", tasks[0]["workload"].get<std::string>()});
  EXPECT_GE(space["schedules"].size(), 1u);
}

TEST_F(Program, OpsDescribesAnOperator) { EXPECT_EQ(HoneJson({"ops", "nn.conv2d"})["name"], "nn.conv2d"); }

TEST_F(Program, BuildRunBenchAndVerifyAgree) {
  BuildMlp();
  const Json run = HoneJson({"run", Path("work/mlp.hone"), "--fill", "ramp", "--output", Path("work/out")});
  ASSERT_EQ(run["outputs"].size(), 1u);
  const Json bench = HoneJson({"bench", Path("work/mlp.hone"), Path("work/mlp.hone"), "--runs", "20", "--per-op"});
  EXPECT_EQ(bench["packages"][0]["runs"], 20);
  EXPECT_GE(bench["packages"][0]["per_op"].size(), 1u);
  EXPECT_TRUE(bench.contains("verdict"));
  EXPECT_EQ(HoneJson({"verify", "zoo:mlp", "--image-shape", "1,14,14", Path("work/mlp.hone")})["agrees"], true);
}

TEST_F(Program, VerifyChecksBeforeTheSoftmaxToo) {
  const Json verified = HoneJson({"verify", "zoo:mlp", "--image-shape", "1,14,14", "--no-records"});
  EXPECT_EQ(verified["agrees"], true);
  EXPECT_EQ(verified["outputs"].size(), 2u);
}

TEST_F(Program, VerifyOfAnotherModelsWeightsSaysNo) {
  BuildMlp();
  const ProgramResult r = Hone({"verify", "zoo:mlp", "--image-shape", "1,14,14", Path("work/mlp.hone"), "--seed", "1"});
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, HasSubstr("DIFFERS"));
}

TEST_F(Program, TheOutputOfARunIsWhatVerifyExpects) {
  BuildMlp();
  ASSERT_EQ(Hone({"run", Path("work/mlp.hone"), "--output", Path("work/out")}).code, 0);
  std::string output;
  for (const std::string& file : Files()) {
    if (file.rfind("work/out/", 0) == 0) output = file;
  }
  EXPECT_EQ(HoneJson({"verify", "zoo:mlp", "--image-shape", "1,14,14", Path("work/mlp.hone"), "--expect",
                      Path(output)})["agrees"],
            true);
}

TEST_F(Program, BuildsAreTheSameByteForByte) {
  BuildMlp();
  ASSERT_EQ(Hone({"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/again.hone"), "--no-records"}).code,
            0);
  EXPECT_EQ(Read("work/mlp.hone"), Read("work/again.hone"));
}

TEST_F(Program, PackageInfoAndUnpackGiveTheParts) {
  BuildMlp();
  EXPECT_EQ(HoneJson({"package", "info", Path("work/mlp.hone")})["model"], "zoo:mlp");
  HoneJson({"package", "unpack", Path("work/mlp.hone"), "-o", Path("work/parts")});
  EXPECT_THAT(Read("work/parts/lib.so"), testing::StartsWith("\x7f"
                                                             "ELF"));
  EXPECT_TRUE(ParseJson(Read("work/parts/graph.json"), "graph").contains("calls"));
}

TEST_F(Program, ALogOfAnEmptyStoreIsImportedWithoutNews) {
  const std::string db = Path("work/r.db");
  Write("work/none.log", "");
  EXPECT_EQ(Hone({"log", "import", Path("work/none.log"), "--db", db}).code, 66);
}

TEST_F(Program, AStoreOfTheEnvironmentThatIsNotThereHasNoRecordsYet) {
  const std::vector<std::string> build = {"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/p.hone")};
  environment = {{"HONE_DB", Path("work/none.db")}};
  EXPECT_EQ(Hone(build).code, 0);
  EXPECT_EQ(Hone({"verify", "zoo:mlp", "--image-shape", "1,14,14"}).code, 0);
  EXPECT_EQ(Hone({"log", "list"}).code, 66) << "there is nothing to list";
  std::vector<std::string> given = build;
  given.insert(given.end(), {"--db", Path("work/none.db")});
  EXPECT_EQ(Hone(given).code, 66) << "what is named on the command line must be there";
  EXPECT_THAT(Files(), testing::ElementsAre("work/p.hone"));
}

TEST_F(Program, TargetsNamesTheHost) { EXPECT_EQ(HoneJson({"targets", "host"})["targets"].size(), 1u); }

TEST_F(Program, TargetsShowsTheFiguresOfACoreAndTheirSources) {
  const Json row = HoneJson({"targets", "neoverse-v1"})["targets"][0];
  EXPECT_EQ(row["multiply_adds_per_cycle"], 4.0);
  EXPECT_EQ(row["costs_from"], "LLVM's AArch64SchedNeoverseV1.td");
  EXPECT_EQ(HoneJson({"targets", "znver5"})["targets"][0]["costs_from"], "fitted on a Zen 5 core");
  EXPECT_NE(Hone({"targets", "neoverse-v1"}).out.find("per cycle: multiply-adds 4,"), std::string::npos);
}

}  // namespace
}  // namespace hone
