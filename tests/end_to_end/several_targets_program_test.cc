// A package for several targets, made and used through the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class SeveralTargets : public ProgramTest {
 protected:
  static constexpr const char* kModel = "zoo:mlp --image-shape 1,14,14 --no-records --threads 1";
  static constexpr const char* kBoard = "--target cortex-a72";

  void Refused(const std::string& line, int code, const std::string& message) const {
    const ProgramResult r = Shell("hone " + line);
    EXPECT_EQ(r.code, code) << line << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(message)) << line;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  std::string Targets(const std::string& path) const {
    std::string targets;
    const Json info = Json::parse(Do("package info " + path + " --json"));
    for (const Json& package : info.at("packages")) {
      targets += package.at("target").get<std::string>() + "\n";
    }
    return targets;
  }
};

TEST_F(SeveralTargets, ARunTakesTheBestThatItCanRun) {
  const std::string model(kModel);
  Do("build " + model + " --target host -o host.hone");
  const std::string report = Do("build " + model + " --target x86-64-v2 --target cortex-a72 --target host -o all.hone");
  EXPECT_THAT(report, HasSubstr("all.hone written: "));
  EXPECT_THAT(report, HasSubstr(", 3 packages\n"));
  Do("run host.hone --fill random --output host");
  Do("run all.hone --fill random --output all");
  Do("bench all.hone host.hone --runs 2 --threads 1");
  Do("verify " + model + " all.hone");
  EXPECT_EQ(Shell("cmp host/*.npy all/*.npy").code, 0) << "the host's own kernels ran";
  EXPECT_THAT(Do("package info all.hone"), HasSubstr("cortex-a72"));
}

TEST_F(SeveralTargets, BuiltApartAndJoinedTheyAreTheSameFile) {
  const std::string model(kModel);
  Do("build " + model + " --target x86-64-v2 -o v2.hone");
  Do("build " + model + " --target x86-64-v3 -o v3.hone");
  Do("build " + model + " " + kBoard + " -o board.hone");
  Do("build " + model + " --target x86-64-v2 --target x86-64-v3 " + kBoard + " -o all.hone");
  Do("package join v2.hone v3.hone board.hone -o joined.hone");
  EXPECT_EQ(Shell("cmp all.hone joined.hone").code, 0);
  const std::string targets = Targets("joined.hone");
  EXPECT_LT(targets.find("x86-64-v3"), targets.find("x86-64-v2")) << "what asks for more comes first";
  EXPECT_NE(targets.find("cortex-a72"), std::string::npos);
  // A joined package may be joined with more.
  Do("package join v2.hone v3.hone -o two.hone");
  Do("package join two.hone board.hone -o again.hone");
  EXPECT_EQ(Shell("cmp again.hone joined.hone").code, 0);
  Do("package unpack joined.hone -o parts");
  EXPECT_EQ(Shell("ls parts/1 parts/3 | grep -c -e lib.so -e graph.json").out, "4\n");
}

TEST_F(SeveralTargets, WhatCannotBeOneFileIsRefused) {
  const std::string model(kModel);
  Do("build " + model + " --target x86-64-v2 -o v2.hone");
  Do("build zoo:dcgan --no-records --threads 1 --target x86-64-v3 -o other.hone");
  Refused("package join v2.hone v2.hone -o P.hone", 2, "run on the same machines and take the same shapes: one of");
  Refused("package join v2.hone other.hone -o P.hone", 2, "packages of one model belong together");
  Refused("package join v2.hone none.hone -o P.hone", 66, "none.hone");
  Write("work/text.hone", "this is no package, whatever its name says\n");
  Refused("package join v2.hone text.hone -o P.hone", 65, "text.hone: not a hone package");
  Refused("build " + model + " --target host --target host -o P.hone", 2, "one of them would never be taken");
  Refused("build " + model + " --target host --target pentium9 -o P.hone", 2, "pentium9");
  EXPECT_NE(Shell("ls P.hone").code, 0) << "nothing is left of what was refused";
  Do("build " + model + " --target cortex-a72 --target rv64gcv -o boards.hone");
  Refused("run boards.hone", 78, "this machine is x86_64");
  Refused("package export boards.hone --c -o e", 2, "an object file is for one architecture");
}

}  // namespace
}  // namespace hone
