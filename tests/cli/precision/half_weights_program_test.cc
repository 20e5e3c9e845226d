// The option --weights float16 of the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/codegen/target/host.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class HalfWeightsProgram : public ProgramTest {
 protected:
  // A model whose first layer, 784 to 128, is the only one large enough.
  ProgramResult BuildMlp(const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {"build", "zoo:mlp", "--image-shape", "1,28,28", "-o", Path(out), "--no-records"});
    return Hone(more);
  }
  int64_t Size(const std::string& name) const { return static_cast<int64_t>(std::filesystem::file_size(Path(name))); }
};

TEST_F(HalfWeightsProgram, TakeHalfTheBytesAndAgree) {
  if (MachineModelFor(HostTarget()).half_loads_feature.empty()) GTEST_SKIP() << "this machine widens no float16";
  ASSERT_EQ(BuildMlp("work/wide.hone", {}).code, 0);
  const ProgramResult built = BuildMlp("work/half.hone", {"--weights", "float16"});
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_NEAR(static_cast<double>(Size("work/wide.hone") - Size("work/half.hone")), 2.0 * 784 * 128, 2000);
  const ProgramResult verified = Hone({"verify", "zoo:mlp", "--image-shape", "1,28,28", Path("work/half.hone")});
  EXPECT_EQ(verified.code, 0) << verified.out;
  EXPECT_THAT(Hone({"inspect", "zoo:mlp", "--image-shape", "1,28,28", "--tasks", "--weights", "float16"}).out,
              HasSubstr("dtype=float32,float16,float32,float32"));
}

TEST_F(HalfWeightsProgram, NeedATargetThatWidensThem) {
  const ProgramResult refused = BuildMlp("work/p.hone", {"--weights", "float16", "--target", "x86-64-v2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("f16c with AVX2"));
  EXPECT_THAT(Files(), testing::IsEmpty());
}

TEST_F(HalfWeightsProgram, GoWithFloat32Alone) {
  const ProgramResult refused = BuildMlp("work/p.hone", {"--weights", "float16", "--precision", "bfloat16"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("goes with --precision float32"));
}

}  // namespace
}  // namespace hone
