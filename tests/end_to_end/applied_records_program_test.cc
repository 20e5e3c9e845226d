// From one team's tuning log to another team's package, using only the program.
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "runtime/session.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/tune_record.h"

namespace hone {
namespace {

constexpr const char* kWorkload =
    "nn.conv2d data=1x64x16x16 weight=64x64x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 dtype=float32 "
    "epilogue=bias_act";

class AppliedRecordsProgram : public ProgramTest {
 protected:
  // The dispatch entry of the workload above.
  Json BuildAndFind(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"build",
                                          "zoo:resnet-18",
                                          "--image-shape",
                                          "3,64,64",
                                          "-o",
                                          Path("work/r.hone"),
                                          "--json",
                                          "--threads",
                                          std::to_string(AllowedCores())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult built = Hone(arguments);
    EXPECT_EQ(built.code, 0) << built.err;
    const Json report = ParseJson(built.out, "build");
    for (const Json& entry : report.at("dispatch")) {
      if (entry.at("workload") == kWorkload) return entry;
    }
    ADD_FAILURE() << "no such workload: " << built.out;
    return {};
  }
};

TEST_F(AppliedRecordsProgram, AnImportedLogIsBuiltUnlessRecordsAreNotWanted) {
  const Record record = WinningRecord(OddCandidate(Workload::Parse(kWorkload)), AllowedCores());
  Write("work/their.log", LogOf(record));
  const ProgramResult imported = Hone({"log", "import", Path("work/their.log"), "--json"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_EQ(ParseJson(imported.out, "import").at("counts"),
            (Json{{"new", 1}, {"known", 0}, {"foreign", 0}, {"foreign_failed", 0}, {"refused", 0}}));

  const Json with = BuildAndFind({}), without = BuildAndFind({"--no-records"});
  EXPECT_EQ(with.at("record"), record.id);
  EXPECT_EQ(with.at("config"), record.candidate.config.ToText());
  EXPECT_EQ(with.at("source"), "record");
  EXPECT_EQ(without.at("record"), "");
  EXPECT_EQ(without.at("source"), "default");
  EXPECT_NE(with.at("kernel_sha256"), without.at("kernel_sha256"));
}

}  // namespace
}  // namespace hone
