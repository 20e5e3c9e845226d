// `hone bench` from end to end on a small network. No test depends on durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class BenchProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --classes 1000 --image-shape 1,14,14 -o m.onnx").code, 0);
    ASSERT_EQ(Shell("hone build m.onnx -o 'a b.hone' --no-records --threads 1").code, 0);
    ASSERT_EQ(Shell("cp 'a b.hone' b.hone").code, 0);
  }
  Json Document(const std::string& line) {
    const ProgramResult r = Shell(line + " --json");
    EXPECT_EQ(r.code, 0) << line << "\n" << r.err;
    return ParseJson(r.out, line);
  }
  // Expects one line on stderr that contains `what`, and this exit code.
  void ExpectRefusal(const std::string& line, int code, const std::string& what) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, code) << line << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(what)) << line;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  // Copies a baseline with a value changed.
  void Change(const std::string& from, const std::string& to, const std::function<void(Json&)>& change) {
    Json document = ParseJson(Read("work/" + from), from);
    change(document);
    Write("work/" + to, DumpJson(document));
  }
  static void ScaleTimes(Json& document, double factor) {
    for (Json& entry : document["benchmarks"])
      entry["real_time"] = std::max(1.0, entry["real_time"].get<double>() * factor);
  }
};

const std::string kBench = "hone bench 'a b.hone' --threads 1 --runs 60";

TEST_F(BenchProgram, WritesWhatGoogleBenchmarksToolsRead) {
  const Json d = Document(kBench + " b.hone");
  const Json& context = d["context"];
  EXPECT_EQ(context["json_schema_version"], 1);
  for (const char* field : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled",
                            "caches", "load_avg", "library_version", "library_build_type"})
    EXPECT_TRUE(context.contains(field)) << field;
  int iterations = 0, aggregates = 0;
  for (const Json& entry : d["benchmarks"]) {
    for (const char* field :
         {"real_time", "cpu_time", "iterations", "threads", "repetitions", "family_index", "per_family_instance_index"})
      EXPECT_TRUE(entry[field].is_number()) << field;
    EXPECT_EQ(entry["time_unit"], "ns");
    EXPECT_TRUE(entry["run_name"] == "a b.hone" || entry["run_name"] == "b.hone");
    (entry["run_type"] == "iteration" ? iterations : aggregates) += 1;
  }
  EXPECT_EQ(iterations, 20);
  EXPECT_EQ(aggregates, 2);
}

TEST_F(BenchProgram, SaysAllThatTimesAreToBeReadWith) {
  const Json d = Document(kBench + " b.hone");
  EXPECT_EQ(d["format"], "hone-bench");
  EXPECT_EQ(d["version"], 1);
  EXPECT_EQ(d["conditions"]["cache"], "turns");
  EXPECT_EQ(d["conditions"]["mode"], "latency");
  EXPECT_THAT(d["fingerprint"].get<std::string>(), HasSubstr("cpu="));
  const Json& package = d["packages"][0];
  EXPECT_EQ(package["precision"], "float32");
  EXPECT_EQ(package["threads"], 1);
  EXPECT_EQ(package["runs"], 60);
  ASSERT_EQ(package["rounds"].size(), 10U);
  EXPECT_LE(package["min_ns"], package["p10_ns"]);
  EXPECT_LE(package["p10_ns"], package["median_ns"]);
  EXPECT_LE(package["p90_ns"], package["p99_ns"]);
  ASSERT_EQ(d["verdicts"].size(), 1U);
  EXPECT_EQ(d["verdicts"][0]["package"], "b.hone");
  EXPECT_EQ(d["verdicts"][0]["against"], "a b.hone");
  EXPECT_EQ(d["verdict"], d["verdicts"][0]);
  EXPECT_EQ(Document(kBench)["conditions"]["cache"], "alone");
}

TEST_F(BenchProgram, JudgesPackagesOfOneModelUnlessAskedForMore) {
  ASSERT_EQ(Shell("hone zoo mlp --classes 10 --image-shape 1,14,14 -o other.onnx").code, 0);
  ASSERT_EQ(Shell("hone build other.onnx -o other.hone --no-records --threads 1").code, 0);
  ExpectRefusal(kBench + " other.hone", 2, "a b.hone is of m.onnx, and other.hone of other.onnx");
  EXPECT_EQ(Document(kBench + " other.hone --any-model")["verdicts"].size(), 1U);
  ASSERT_EQ(Shell("mkdir large && hone zoo mlp --classes 1000 --image-shape 1,28,28 -o large/m.onnx").code, 0);
  ASSERT_EQ(Shell("hone build large/m.onnx -o large.hone --no-records --threads 1").code, 0);
  ExpectRefusal(kBench + " large.hone", 2, "m.onnx with input 1x1x14x14, and large.hone of large/m.onnx with input");
  ASSERT_EQ(Shell("mkdir moved && cp m.onnx moved/renamed.onnx && hone build moved/renamed.onnx -o moved.hone "
                  "--no-records --threads 1")
                .code,
            0);
  EXPECT_EQ(Document(kBench + " moved.hone")["verdicts"].size(), 1U) << "the file has the same hash";
  ASSERT_EQ(Shell("hone bench b.hone --threads 1 --runs 60 --json > base.json").code, 0);
  Change("base.json", "other.json", [](Json& d) { d["packages"][0]["model"] = "other.onnx"; });
  ExpectRefusal(kBench + " --baseline other.json", 2, "other.json is of other.onnx");
  EXPECT_EQ(Shell(kBench + " --baseline other.json --any-model").code, 0);
}

TEST_F(BenchProgram, TakesAsManyRoundsAsThereAreRuns) {
  const Json d = Document("hone bench 'a b.hone' b.hone --threads 1 --runs 3");
  EXPECT_EQ(d["packages"][0]["rounds"].size(), 3U);
  EXPECT_EQ(d["verdicts"][0]["verdict"], "cannot tell");
}

TEST_F(BenchProgram, WritesEachFormat) {
  const ProgramResult r = Shell(kBench +
                                " --write csv=t.csv --write markdown=t.md --write hyperfine=h.json --write otava=o.csv "
                                "--write mlperf-system=s.json --write json=t.json --csv");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, Read("work/t.csv"));
  EXPECT_THAT(r.out, testing::StartsWith("package,model,threads,"));
  EXPECT_THAT(Read("work/t.md"), ContainsRegex("\n[|] a b.hone [|] float32 [|] 1 [|]"));
  const Json hyperfine = ParseJson(Read("work/h.json"), "h.json");
  ASSERT_EQ(hyperfine["results"].size(), 1U);
  EXPECT_EQ(hyperfine["results"][0]["times"].size(), 10U);
  for (const char* field : {"command", "mean", "stddev", "median", "user", "system", "min", "max"})
    EXPECT_TRUE(hyperfine["results"][0].contains(field)) << field;
  const Json system = ParseJson(Read("work/s.json"), "s.json");
  for (const char* field : {"submitter", "division", "status", "system_name", "host_processor_model_name",
                            "host_memory_capacity", "accelerators_per_node", "framework", "operating_system"})
    EXPECT_TRUE(system[field].is_string()) << field;
  EXPECT_EQ(ParseJson(Read("work/t.json"), "t.json")["format"], "hone-bench");
}

TEST_F(BenchProgram, AppendsToAHistory) {
  ASSERT_EQ(Shell(kBench + " --write otava=o.csv").code, 0);
  ASSERT_EQ(Shell(kBench + " --write otava=o.csv").code, 0);
  const std::string history = Read("work/o.csv");
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 3);
  EXPECT_THAT(history, testing::StartsWith("time,hone_version,device,a_b_sha256,a_b_p10_ns,"));
  ExpectRefusal(kBench + " b.hone --csv --write otava=o.csv >/dev/null", 65, "o.csv has other columns");
  EXPECT_EQ(Read("work/o.csv"), history);
}

TEST_F(BenchProgram, JudgesAgainstABaseline) {
  ASSERT_EQ(Shell(kBench + " --write json=base.json").code, 0);
  Change("base.json", "fast.json", [](Json& d) { ScaleTimes(d, 0.01); });
  Change("base.json", "slow.json", [](Json& d) { ScaleTimes(d, 100); });
  const ProgramResult slower = Shell(kBench + " --baseline fast.json --fail-above 3%");
  EXPECT_EQ(slower.code, 1) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("a b.hone is slower than fast.json"));
  const ProgramResult faster = Shell(kBench + " --baseline slow.json --fail-above 3%");
  EXPECT_EQ(faster.code, 0) << faster.err;
  EXPECT_THAT(faster.out, HasSubstr("a b.hone is faster than slow.json"));
  // Without a limit the change is only reported.
  EXPECT_EQ(Shell(kBench + " --baseline fast.json").code, 0);
  // With a single package on both sides the names do not matter.
  EXPECT_EQ(Shell("hone bench b.hone --threads 1 --runs 60 --baseline slow.json").code, 0);
}

TEST_F(BenchProgram, TimesAKeptPackageInTurns) {
  const ProgramResult saved = Shell("hone bench m.onnx --no-records --threads 1 --runs 60 --save main");
  ASSERT_EQ(saved.code, 0) << saved.err;
  EXPECT_THAT(saved.err, HasSubstr("kept as main: hone bench P.hone --baseline main times it again\n"));
  // The kept package runs, wherever the first one has gone.
  const Json d = Document(kBench + " --baseline main");
  ASSERT_EQ(d["packages"].size(), 2);
  EXPECT_EQ(d["packages"][0]["path"], "baseline main");
  EXPECT_EQ(d["packages"][1]["path"], "a b.hone");
  EXPECT_EQ(d["conditions"]["cache"], "turns");
  EXPECT_EQ(d["verdict"]["against"], "baseline main");
  EXPECT_EQ(d["verdict"]["test"], "signed-rank");
  EXPECT_EQ(d["noise"]["notes"].dump().find("stored ones"), std::string::npos);
  // A baseline may be replaced by what was judged against it, and later results have their own package alone.
  EXPECT_EQ(Shell(kBench + " --baseline main --save main").code, 0);
  EXPECT_EQ(Document(kBench + " --baseline main")["packages"].size(), 2);
}

TEST_F(BenchProgram, JudgesAKeptPackageByItsRunsAndNotItsStoredTimes) {
  ASSERT_EQ(Shell(kBench + " --save main").code, 0);
  const std::string kept = Shell("find \"$XDG_DATA_HOME\" -name main.json").out;
  ASSERT_NE(kept, "");
  const std::string path = kept.substr(0, kept.size() - 1);
  Json stored = ParseJson(Shell("cat '" + path + "'").out, "the kept result");
  ScaleTimes(stored, 0.01);
  Write("work/fast.json", DumpJson(stored));
  ASSERT_EQ(Shell("cp fast.json '" + path + "'").code, 0);
  EXPECT_EQ(Shell(kBench + " --baseline main --fail-above 300%").code, 2);  // not a share
  EXPECT_EQ(Shell(kBench + " --baseline main --fail-above 100%").code, 0);
  // Once it is pruned its stored times are left.
  ASSERT_EQ(Shell("rm \"$(dirname '" + path + "')\"/*.hone").code, 0);
  const ProgramResult pruned = Shell(kBench + " --baseline main --fail-above 100%");
  EXPECT_EQ(pruned.code, 1) << pruned.out;
  EXPECT_THAT(pruned.err, HasSubstr("the package of main was pruned: its stored times are judged against"));
  EXPECT_THAT(pruned.err, HasSubstr("8 of 100 such verdicts on equal packages were wrong"));
}

TEST_F(BenchProgram, PrunesKeptPackagesByAgeAndSize) {
  const auto count = [this](const std::string& kind) {
    return Shell("find \"$XDG_DATA_HOME\" -name '*." + kind + "' -path '*kept*' | wc -l").out;
  };
  ASSERT_EQ(Shell("hone zoo mlp --classes 10000 --image-shape 1,14,14 -o n.onnx").code, 0);
  const std::string other = "hone bench n.onnx --no-records --threads 1 --runs 20 ";
  ASSERT_EQ(Shell(kBench + " --save one && " + other + "--save two").code, 0);
  EXPECT_EQ(count("hone"), "2\n");
  ASSERT_EQ(Shell(other + "--save three").code, 0);  // the same package as two
  EXPECT_EQ(count("hone"), "2\n");
  EXPECT_THAT(Shell(other + "--save three --keep-size 1M").err, HasSubstr("because all of them were too large"));
  EXPECT_EQ(count("hone"), "1\n");
  EXPECT_EQ(count("json"), "3\n");
  ASSERT_EQ(Shell(kBench + " --save one").code, 0);
  ASSERT_EQ(Shell("find \"$XDG_DATA_HOME\" -name '*.hone' -exec touch -d '2020-01-01' {} +").code, 0);
  EXPECT_THAT(Shell(kBench + " --save one").err, HasSubstr("which was not used for too long"));
  EXPECT_EQ(count("hone"), "1\n");
}

TEST_F(BenchProgram, NamesWhatIsKept) {
  ASSERT_EQ(Shell(kBench + " --save main").code, 0);
  ExpectRefusal(kBench + " --baseline mian", 66, "kept are: main; `hone bench P.hone --save mian` keeps one");
  ExpectRefusal(kBench + " --save ../up", 2, "a name of letters, digits and");
  ExpectRefusal(kBench + " --save a.json", 2, "it ends in no .json");
  ExpectRefusal(kBench + " b.hone --save main", 2, "--save keeps one package");
  ASSERT_EQ(Shell("hone zoo mlp --classes 10 --image-shape 1,14,14 -o n.onnx && "
                  "hone build n.onnx -o n.hone --no-records --threads 1")
                .code,
            0);
  EXPECT_EQ(Shell("hone bench n.hone --threads 1 --runs 20 --baseline main").code, 2);
}

TEST_F(BenchProgram, RefusesToCompareUnlikeThings) {
  ASSERT_EQ(Shell(kBench + " --write json=base.json").code, 0);
  const std::string against = kBench + " --baseline other.json";
  const auto expect = [&](const std::function<void(Json&)>& change, const std::string& what) {
    Change("base.json", "other.json", change);
    ExpectRefusal(against, 78, what);
  };
  expect([](Json& d) { d["fingerprint"] = "cpu=AuthenticAMD-25-1-2"; }, "the machine was cpu=AuthenticAMD-25-1-2 #");
  expect([](Json& d) { d["packages"][0]["threads"] = 4; }, "number of threads was 4, and is 1 now");
  expect([](Json& d) { d["packages"][0]["precision"] = "int8"; }, "precision was int8, and is float32 now");
  expect([](Json& d) { d["packages"][0]["images"] = 2; }, "batch was 2, and is 1 now");
  expect([](Json& d) { d["conditions"]["cache"] = "turns"; }, "the cache mode was turns, and is alone now");
  expect([](Json& d) { d["conditions"]["mode"] = "throughput"; }, "throughput mode was true, and is false now");
  expect([](Json& d) { d["conditions"]["fill"] = "zeros"; }, "--fill was zeros, and is random now");
  ExpectRefusal(kBench + " b.hone --baseline base.json", 78, "cannot be compared");
}

TEST_F(BenchProgram, RefusesAFileThatIsNoBaseline) {
  ExpectRefusal(kBench + " --baseline none.json", 66, "none.json");
  for (const char* text : {"{", "[]", "{\"format\":\"hone-log\"}", "{\"format\":\"hone-bench\",\"version\":2}",
                           "{\"format\":\"hone-bench\",\"version\":1}"}) {
    Write("work/bad.json", text);
    ExpectRefusal(kBench + " --baseline bad.json", 65, "bad.json");
  }
  ASSERT_EQ(Shell(kBench + " --write json=base.json").code, 0);
  Change("base.json", "bad.json", [](Json& d) {
    ScaleTimes(d, -1);
    d["benchmarks"][0]["real_time"] = -1;
  });
  ExpectRefusal(kBench + " --baseline bad.json", 65, "real_time");
}

TEST_F(BenchProgram, RunsStreamsAtOnce) {
  const Json d = Document("hone bench b.hone --streams 1,2 --threads 1 --runs 60");
  ASSERT_EQ(d["packages"].size(), 2U);
  EXPECT_EQ(d["conditions"]["mode"], "throughput");
  for (int i : {0, 1}) {
    const Json& package = d["packages"][static_cast<size_t>(i)];
    EXPECT_EQ(package["streams"], i + 1);
    EXPECT_EQ(package["runs"], 60);
    EXPECT_GT(package["images_per_second"].get<double>(), 0);
  }
  EXPECT_EQ(d["packages"][1]["name"], "b.hone/streams:2");
  EXPECT_EQ(d["verdicts"][0]["package"], "b.hone/streams:2");
  EXPECT_THAT(Shell("hone bench b.hone --streams 2 --runs 20").out, HasSubstr("images/s"));
}

TEST_F(BenchProgram, RefusesWrongOptionsBeforeItRuns) {
  ExpectRefusal(kBench + " --streams 0", 2, "--streams 0: numbers from 1 to 1024");
  ExpectRefusal(kBench + " --streams 1,,2", 2, "--streams");
  ExpectRefusal(kBench + " --streams 2 --per-op", 2, "--per-op");
  ExpectRefusal(kBench + " --write jsn=x", 2, "did you mean json");
  ExpectRefusal(kBench + " --write json", 2, "FORMAT=FILE");
  ExpectRefusal(kBench + " --fail-above 3%", 2, "or --baseline NAME|FILE");
  ExpectRefusal(kBench + " --rounds 0", 2, "--rounds");
  ExpectRefusal(kBench + " --smallest-effect 200%", 2, "--smallest-effect");
}

TEST_F(BenchProgram, BuildsModelsAndLeavesNoPackage) {
  ASSERT_EQ(Shell("mkdir t").code, 0);
  environment["TMPDIR"] = Path("work/t");
  const ProgramResult r = Shell("hone bench m.onnx b.hone --no-records --threads 1 --runs 60");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, ContainsRegex("m.onnx: built for 1 thread in float32, calls by config: [^\n]*3 default"));
  EXPECT_THAT(r.out, ContainsRegex("\nm.onnx +1 "));
  EXPECT_THAT(r.out, HasSubstr("b.hone"));
  EXPECT_EQ(NextOf(r), "hone tune m.onnx --threads 1");
  const Json d = Document("hone bench zoo:mlp --no-records --threads 1 --runs 20");
  EXPECT_EQ(d["packages"][0]["path"], "zoo:mlp");
  EXPECT_EQ(Shell("timeout --foreground -s INT 2 \"$HONE\" bench m.onnx --min-time 1h").code, 124);
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr("work/t/"))) << "a package is left";
  ExpectRefusal("hone bench b.hone --no-records", 2, "are for a model");
  ExpectRefusal("hone bench m.onnx --tracker tcp://127.0.0.1:1 --key k", 2, "built for this machine");
  ExpectRefusal("hone bench zoo:mlpp", 66, "mlp");
}

TEST_F(BenchProgram, ReportsEnergyOrWhyItIsUnknown) {
  const ProgramResult told = Shell(kBench + " --energy");
  EXPECT_EQ(told.code, 0) << told.err;
  const Json energy = Document(kBench + " --energy");
  if (energy["energy"]["domains"].empty()) {
    EXPECT_THAT(told.err, ContainsRegex("no energy: [^\n]+\n"));
    EXPECT_EQ(energy["packages"][0].count("joules_per_image"), 0U);
  } else {
    EXPECT_THAT(told.out, HasSubstr(" J per image ("));
    EXPECT_GT(energy["packages"][0]["joules_per_image"].get<double>(), 0);
  }
  ExpectRefusal(kBench + " --energy --streams 2", 2, "--streams");
}

// The lines that docs/howto/speed_in_ci.md gives to GitHub and GitLab, in their order. A test judges no times.
std::vector<std::string> CommandsForCi() {
  std::ifstream in(HONE_SOURCE_DIR "/docs/howto/speed_in_ci.md");
  std::vector<std::string> commands;
  for (std::string line; std::getline(in, line);) {
    const size_t run = line.find("run: "), item = line.find("    - ");
    if (run != std::string::npos) {
      commands.push_back(line.substr(run + 5));
    } else if (item == 0 && line.find("uses:") == std::string::npos) {
      commands.push_back(line.substr(6));
    }
    const size_t limit = commands.empty() ? std::string::npos : commands.back().find("--fail-above 2%");
    if (limit != std::string::npos) commands.back().replace(limit, 15, "--fail-above 100% --min-time 50ms");
  }
  return commands;
}

TEST_F(BenchProgram, TheCommandsForCiRun) {
  environment["GITHUB_STEP_SUMMARY"] = Path("work/step");
  environment["CI_COMMIT_BRANCH"] = "main";
  ASSERT_EQ(Shell("mv m.onnx model.onnx").code, 0);
  const std::vector<std::string> commands = CommandsForCi();
  ASSERT_EQ(commands.size(), 7);
  for (const bool first : {true, false}) {
    for (const std::string& command : commands) {
      const ProgramResult r = Shell(command);
      const bool lacks = first && command.find("--baseline") != std::string::npos && !command.starts_with("if");
      const bool reads_nothing = first && command.starts_with("cat");
      if (lacks) {
        EXPECT_EQ(r.code, 66) << command << "\n" << r.err;
      } else if (!reads_nothing) {
        EXPECT_EQ(r.code, 0) << command << "\n" << r.err;
      }
    }
  }
  EXPECT_THAT(Read("work/step"), HasSubstr("| "));
}

}  // namespace
}  // namespace hone
