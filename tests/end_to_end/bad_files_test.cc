// Damaged, newer or senseless files given to the program: one line, the right exit code, nothing changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/run_program.h"
#include "tests/end_to_end/tune_record.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A length-delimited field of a protobuf message: ONNX written by hand, in ways that no exporter writes it.
std::string Field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string Number(int number, char value) { return std::string(1, static_cast<char>(number << 3)) + value; }

std::string Value(const std::string& name) {
  const std::string shape = Field(1, Number(1, 4));
  return Field(1, name) + Field(2, Field(1, Number(1, 1) + Field(2, shape)));
}
std::string Add(const std::string& a, const std::string& b, const std::string& sum) {
  return Field(1, Field(1, a) + Field(1, b) + Field(2, sum) + Field(3, "node_" + sum) + Field(4, "Add"));
}
// x + b = a and a + x = b, with `b_input` as the operand b; with "x" there is no cycle.
std::string TwoAdds(const std::string& b_input) {
  const std::string graph =
      Add("x", b_input, "a") + Add("a", "x", "b") + Field(2, "g") + Field(11, Value("x")) + Field(12, Value("b"));
  return Number(1, 7) + Field(7, graph) + Field(8, Number(2, 13));
}

class BadFiles : public ProgramTest {
 protected:
  void ExpectBadData(const std::vector<std::string>& arguments, const std::string& message) {
    const ProgramResult r = Hone(arguments);
    EXPECT_EQ(r.code, 65) << r.err;
    EXPECT_THAT(r.err, StartsWith("hone: "));
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
  }
  void BuildMlp() {
    ASSERT_EQ(Hone({"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/m.hone"), "--no-records"}).code,
              0);
  }
};

TEST_F(BadFiles, AModelWithACycleNamesANodeOfIt) {
  Write("work/fine.onnx", TwoAdds("x"));
  EXPECT_EQ(Hone({"build", Path("work/fine.onnx"), "-o", Path("work/fine.hone")}).code, 0);
  Write("work/cycle.onnx", TwoAdds("b"));
  ExpectBadData({"build", Path("work/cycle.onnx"), "-o", Path("work/cycle.hone")}, "cycle");
  ExpectBadData({"inspect", Path("work/cycle.onnx")}, "node_a");
  EXPECT_THAT(Files(), testing::Not(testing::Contains("work/cycle.hone")));
}

TEST_F(BadFiles, AStoreOfANewerVersionIsRefusedAndKept) {
  const Record record = WinningRecord(OddCandidate(Workload::Parse("nn.conv2d data=1x16x8x8 weight=16x16x3x3")), 1);
  Write("work/a.log", LogOf(record));
  const std::string db = Path("work/r.db");
  ASSERT_EQ(Hone({"log", "import", Path("work/a.log"), "--db", db}).code, 0);
  std::string newer = Read("work/r.db");
  newer[63] = 99;  // the last byte of SQLite's user_version
  Write("work/r.db", newer);
  const std::vector<std::string> files = Files();
  ExpectBadData({"log", "list", "--db", db}, "99");
  ExpectBadData({"log", "import", Path("work/a.log"), "--db", db}, "99");
  ExpectBadData({"build", "zoo:mlp", "--image-shape", "1,14,14", "-o", Path("work/m.hone"), "--db", db}, "99");
  ExpectBadData({"tune", "zoo:mlp", "--image-shape", "1,14,14", "--trials", "2", "--db", db}, "99");
  EXPECT_EQ(Read("work/r.db"), newer);
  EXPECT_EQ(Files(), files);
}

TEST_F(BadFiles, APackageThatWasCutIsRefusedWhereverItWasCut) {
  BuildMlp();
  const std::string whole = Read("work/m.hone");
  for (const size_t size : {size_t{0}, size_t{7}, size_t{111}, size_t{112}, size_t{4096}, size_t{5000},
                            whole.size() / 2, whole.size() - 1}) {
    Write("work/cut.hone", whole.substr(0, size));
    SCOPED_TRACE(size);
    ExpectBadData({"run", Path("work/cut.hone")}, "cut.hone");
  }
}

TEST_F(BadFiles, AFlippedByteOfAnyCheckedSectionIsRefused) {
  BuildMlp();
  const std::string whole = Read("work/m.hone");
  const size_t lib = whole.find(
      "\x7f"
      "ELF");
  ASSERT_NE(lib, std::string::npos);
  for (const size_t at : {size_t{3}, size_t{9}, size_t{20}, size_t{100}, size_t{4100}, lib - 4096 + 10, lib + 1000}) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    Write("work/flipped.hone", flipped);
    SCOPED_TRACE(at);
    ExpectBadData({"run", Path("work/flipped.hone")}, "flipped.hone");
  }
}

}  // namespace
}  // namespace hone
