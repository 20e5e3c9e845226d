// `hone package export`: the output under a linker and a compiler. Running it is covered by embedding.md's session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class PackageExport : public ProgramTest {
 protected:
  void Build(const std::string& target) {
    const ProgramResult r =
        Shell("hone build zoo:mlp --image-shape 1,14,14 --no-records --target '" + target + "' -o p.hone");
    ASSERT_EQ(r.code, 0) << r.err;
  }
};

class ExportFor : public PackageExport, public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ExportFor, GivesTheFilesBytesAsAnObjectOfTheMachine) {
  const auto& [target, machine] = GetParam();
  Build(target);
  const ProgramResult r = Shell("hone package export p.hone --c --name digits -o out");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("out/digits.h"));
  EXPECT_THAT(Shell("readelf --wide --file-header out/digits.o").out, HasSubstr(machine));
  EXPECT_EQ(Shell("readelf --wide --all out/digits.o").err, "");
  EXPECT_THAT(Shell("readelf --wide --symbols out/digits.o").out, HasSubstr("GLOBAL DEFAULT    1 digits_package"));
  ASSERT_EQ(Shell("tail -c +4097 out/digits.o | head -c \"$(stat -c %s p.hone)\" | cmp - p.hone").code, 0);
  EXPECT_THAT(Read("work/out/digits.h"),
              HasSubstr("/* data: float32 1x1x14x14 */\n#define DIGITS_INPUT_0_BYTES 784\n"));
}
INSTANTIATE_TEST_SUITE_P(Machines, ExportFor,
                         testing::Values(std::pair("host", "X86-64"), std::pair("aarch64-linux-gnu", "AArch64"),
                                         std::pair("llvm -mtriple=riscv64-linux-gnu -mattr=+a,+c,+d,+f,+m", "RISC-V")),
                         [](const auto& of) { return std::string(1, of.param.second[0]) + "Target"; });

TEST_F(PackageExport, RefusesInOneLineAndLeavesNothing) {
  Build("armv7-linux-gnueabihf");
  const std::vector<std::string> before = Files();
  const ProgramResult machine = Shell("hone package export p.hone --c -o out");
  EXPECT_EQ(machine.code, 78);
  EXPECT_THAT(machine.err, HasSubstr("x86_64, aarch64 and riscv64 would be right"));
  const ProgramResult name = Shell("hone package export p.hone --c --name 3d -o out");
  EXPECT_EQ(name.code, 2);
  EXPECT_THAT(name.err, HasSubstr("--name 3d is no name in C"));
  EXPECT_EQ(Shell("hone package export p.hone --c --name a/b -o out").code, 2);
  EXPECT_EQ(Shell("hone package export p.hone -o out").code, 2);
  EXPECT_EQ(Shell("hone package export none.hone --c -o out").code, 66);
  EXPECT_EQ(Files(), before);
}

}  // namespace
}  // namespace hone
