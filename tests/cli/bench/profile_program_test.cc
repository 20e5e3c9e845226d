// `hone profile` from end to end on a small network. No test depends on durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "core/package/package_format.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ProfileProgram : public ProgramTest {
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
};

TEST_F(ProfileProgram, ProfilesEachCall) {
  const Json d = Document("hone profile 'a b.hone' --threads 1 --runs 5 --trace t.json --folded f.txt");
  double shares = 0;
  for (const Json& call : d["calls"]) {
    shares += call["share"].get<double>();
    EXPECT_GT(call["bytes"].get<int64_t>(), 0);
    EXPECT_GT(call["of_roof"].get<double>(), 0);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_GT(d["roofs"]["gflops"].get<double>(), 0);
  EXPECT_TRUE(d["counters"].is_object() || !d["no_counters"].get<std::string>().empty());
  // Each line has three frames and a number.
  const std::string folded = Read("work/f.txt");
  EXPECT_EQ(std::count(folded.begin(), folded.end(), '\n'), static_cast<std::ptrdiff_t>(d["calls"].size()));
  EXPECT_THAT(folded, ContainsRegex("^a_b.hone;[^; ]+;[^; ]+ [0-9]+\n"));
}

// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete events nest on a track.
// The page calls for ph, ts (microseconds), pid and tid; "X" has dur, and "M" names a thread by its tid.
TEST_F(ProfileProgram, WritesATraceThatViewersRead) {
  const Json d = Document("hone profile b.hone --threads 2 --runs 4 --trace t.json");
  const Json trace = ParseJson(Read("work/t.json"), "t.json");
  std::map<int, std::string> tracks;
  std::map<std::string, std::vector<std::pair<double, double>>> slices;  // by track: begin and end
  for (const Json& event : trace["traceEvents"]) {
    EXPECT_TRUE(event["pid"].is_number_integer() && event["tid"].is_number_integer());
    if (event["ph"] == "M" && event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["ph"] == "M") continue;
    ASSERT_EQ(event["ph"], "X");
    EXPECT_TRUE(event["name"].is_string() && event["cat"].is_string() && event["args"].is_object());
    auto& track = slices[tracks.at(event["tid"])];
    const double begin = event["ts"].get<double>(), end = begin + event["dur"].get<double>();
    EXPECT_GE(begin, (track.empty() ? 0 : track.back().second) - 0.01) << "slices of one track overlap";
    track.emplace_back(begin, end);
  }
  EXPECT_EQ(slices["runs"].size(), 4U);
  const auto& calls = slices["calls, 2 threads each"];
  EXPECT_EQ(calls.size(), 4 * d["calls"].size());
  // On a busy machine the caller takes over the parts that the other worker does not begin, up to all of them.
  EXPECT_GE(slices["worker 0"].size(), calls.size()) << "the caller has a share of every stage";
  for (const char* worker : {"worker 0", "worker 1"}) {
    for (const auto& [begin, end] : slices[worker]) {
      EXPECT_TRUE(
          std::any_of(calls.begin(), calls.end(),
                      [&](const auto& call) { return call.first <= begin + 0.01 && end <= call.second + 0.01; }))
          << worker << " works outside of any call at " << begin;
    }
  }
}

// Renames the field, so that readers skip it, and corrects the manifest's hash in the header.
std::string WithoutModelHash(std::string package) {
  PackageHeader header{};
  std::memcpy(&header, package.data(), sizeof(header));
  const auto [offset, size] = header.sections[0];
  const size_t key = package.find("\"model_sha256\"", offset);
  EXPECT_LT(key, offset + size) << "the manifest tells the model's hash";
  package.replace(key, 14, "\"model_sha25x\"");
  const std::string digest = Sha256Hex(std::string_view(package).substr(offset, size));
  for (size_t i = 0; i < sizeof(header.manifest_sha256); ++i) {
    header.manifest_sha256[i] = static_cast<uint8_t>(std::stoi(digest.substr(2 * i, 2), nullptr, 16));
  }
  std::memcpy(package.data(), &header, sizeof(header));
  return package;
}

TEST_F(ProfileProgram, AnnotatesTheModel) {
  ASSERT_EQ(Shell("hone profile b.hone --threads 1 --runs 3 --annotate out.onnx").code, 0);
  const std::string annotated = Read("work/out.onnx");
  EXPECT_THAT(annotated, HasSubstr("hone.time"));
  EXPECT_GT(annotated.size(), Read("work/m.onnx").size());
  // The annotated model is still the same model.
  EXPECT_EQ(Document("hone inspect out.onnx")["parameters"], Document("hone inspect m.onnx")["parameters"]);
  EXPECT_EQ(Shell("hone verify out.onnx b.hone").code, 0);
  // Nodes are equal and weights differ: the times are of a package that was built from another model.
  ASSERT_EQ(Shell("hone zoo mlp --classes 1000 --image-shape 1,14,14 --seed 7 -o other.onnx").code, 0);
  ExpectRefusal("hone profile b.hone --runs 3 --threads 1 --annotate wrong.onnx --model other.onnx", 65,
                "was not built of other.onnx");
  ASSERT_EQ(Shell("cp m.onnx moved.onnx").code, 0);
  EXPECT_EQ(Shell("hone profile b.hone --threads 1 --runs 3 --annotate again.onnx --model moved.onnx").code, 0);
  // A package without its model's hash, as older writers make it, is matched by names only.
  Write("work/old.hone", WithoutModelHash(Read("work/b.hone")));
  EXPECT_EQ(Shell("hone profile old.hone --threads 1 --runs 3 --annotate old.onnx --model other.onnx").code, 0);
  const std::string line = "hone profile b.hone --runs 3 --threads 1 --annotate wrong.onnx --model ";
  ExpectRefusal(line + "b.hone", 65, "no ONNX model");
  ExpectRefusal(line + "none.onnx", 66, "none.onnx");
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr("wrong.onnx")));
}

}  // namespace
}  // namespace hone
