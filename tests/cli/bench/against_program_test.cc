// `hone bench --against`, with a made-up runtime that speaks the protocol, and with ONNX Runtime where it is installed.
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

class AgainstProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --classes 10 --image-shape 1,14,14 -o m.onnx").code, 0);
  }
  // Saves the outputs that the made-up runtime gives: those of these options of `hone run`.
  void GiveOutputs(const std::string& options) {
    ASSERT_EQ(Shell("hone build m.onnx -o m.hone --no-records --threads 1 && "
                    "hone run m.hone --threads 1 --output outputs " +
                    options)
                  .code,
              0);
  }
  // A program in the place of Python that answers each request by the line of its kind; a run takes 1 ms.
  void MakePeer(const std::string& hello, const std::string& on_load = "echo '{}' >&3") {
    Write("work/peer", "#!/bin/sh\nmkdir -p peer_files\necho '" + hello +
                           "' >&3\n"
                           "while read -r request <&3; do\n"
                           "  echo \"$request\" >> requests\n"
                           "  case $request in\n"
                           "    *load*) " +
                           on_load +
                           " ;;\n"
                           "    *run*) n=${request##*:}; echo \"{\\\"ns\\\": ${n%\\}}000000}\" >&3 ;;\n"
                           "    *) echo \"{\\\"outputs\\\": [\\\"$PWD/outputs/output.npy\\\"]}\" >&3 ;;\n"
                           "  esac\n"
                           "done\n");
    ASSERT_EQ(Shell("chmod +x peer").code, 0);
    environment["HONE_PYTHON"] = Path("work/peer");
  }
  ProgramResult Bench(const std::string& options) {
    return Shell("hone bench --no-records --threads 1 --min-time 20ms --against onnxruntime " + options);
  }
  // Expects one line on stderr after the building, and no times.
  void ExpectFailure(const std::string& options, int code, const std::string& what) {
    const ProgramResult r = Bench(options);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(what));
    EXPECT_LE(std::count(r.err.begin(), r.err.end(), '\n'), 2) << r.err;
    EXPECT_EQ(r.out, "");
  }
};

const std::string kHello = R"({"protocol": 1, "name": "Made-up Runtime", "version": "2.1", "folder": "peer_files"})";

TEST_F(AgainstProgram, EndsWithAVerdictIfOutputsAgree) {
  GiveOutputs("");
  MakePeer(kHello);
  const ProgramResult r = Bench("m.onnx");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, ContainsRegex("\nMade-up Runtime 2.1 +1 "));
  EXPECT_THAT(r.out, ContainsRegex("\nhone is [0-9.]+ times as fast as Made-up Runtime 2.1 \\([^\n]* against 1.000 ms, "
                                   "p 0.00[0-9]*\\), outputs are the same\n"));
  EXPECT_THAT(Read("work/requests"), ContainsRegex(R"("load":"m.onnx","threads":1,"inputs":\{"data":)"));
}

TEST_F(AgainstProgram, WritesTheOtherTimesAsJson) {
  GiveOutputs("");
  MakePeer(kHello);
  const Json d = ParseJson(Bench("m.onnx --rounds 3 --json").out, "the result");
  EXPECT_EQ(d["packages"].size(), 1);
  EXPECT_EQ(d["conditions"]["cache"], "turns");
  EXPECT_EQ(d["other"]["name"], "Made-up Runtime 2.1");
  EXPECT_EQ(d["other"]["rounds"].size(), 3);
  EXPECT_EQ(d["other"]["p10_ns"], 1'000'000);
  EXPECT_EQ(d["other"]["outputs_error"], 0);
  EXPECT_EQ(d["other"]["verdict"]["against"], "Made-up Runtime 2.1");
  EXPECT_THAT(d["other"]["verdict"]["text"].get<std::string>(), HasSubstr("from 3 rounds; at least 8 are needed"));
}

TEST_F(AgainstProgram, TimesNothingIfOutputsDiffer) {
  GiveOutputs("--fill zeros");
  MakePeer(kHello);
  ExpectFailure("m.onnx", 1, "m.onnx: output output differs from that of Made-up Runtime 2.1 by ");
}

TEST_F(AgainstProgram, NamesTheWayOn) {
  MakePeer(R"({"protocol": 1, "error": "No module named onnxruntime"})");
  ExpectFailure("m.onnx", 69, "(No module named onnxruntime): install it by " + Path("work/peer") + " -m pip install");
  MakePeer(R"({"protocol": 2})");
  ExpectFailure("m.onnx", 69, "speaks version 2 of the protocol for other runtimes, not 1");
  MakePeer(kHello, "exit 1");
  ExpectFailure("m.onnx", 69, "Made-up Runtime 2.1 ended ");
  MakePeer(kHello, R"(echo '{"error": "no such operator"}' >&3)");
  ExpectFailure("m.onnx", 65, "Made-up Runtime 2.1: no such operator");
  MakePeer(kHello, "sleep 60 3>&-");
  ExpectFailure("m.onnx --against-timeout 200ms", 69,
                "Made-up Runtime 2.1 gave no answer to loading m.onnx within 0.2 s, and was ended; --against-timeout");
  Write("work/peer", "#!/bin/sh\nexec sleep 60\n");
  ExpectFailure("m.onnx --against-timeout 200ms", 69, "gave no answer to its start in " + Path("work/peer"));
  ExpectFailure("m.onnx --python no-such-python", 69, "--python names a Python with onnxruntime");
  ExpectFailure("m.onnx m.onnx", 2, "--against times one model");
  ExpectFailure("m.hone", 2, "--against times one model");
  ExpectFailure("m.onnx --streams 2", 2, "--streams");
}

TEST_F(AgainstProgram, TimesOnnxRuntime) {
  environment["PYTHONPATH"] = HONE_SOURCE_DIR "/build/readers";  // where scripts/test.sh installs it
  if (Shell("python3 -c 'import onnxruntime'").code != 0) GTEST_SKIP() << "python3 has no onnxruntime";
  for (const std::string& model : std::vector<std::string>{"m.onnx", "zoo:mlp"}) {
    const ProgramResult r = Bench(model);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.out, ContainsRegex("ONNX Runtime [^\n]*, outputs (agree within|are the same)[^\n]*\n$")) << r.out;
  }
}

}  // namespace
}  // namespace hone
