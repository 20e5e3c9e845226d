// The results of CMake and pkg-config, and their messages where something is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/install/installed_test.h"

namespace hone {
namespace {

using testing::HasSubstr;

class FindPackage : public InstalledTest {
 protected:
  // Configures a project whose find_package takes these arguments.
  ProgramResult Find(const std::string& words, const std::string& then = "") {
    Write("work/CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(finder C)\nfind_package(hone " + words +
                                     ")\nmessage(STATUS \"found ${hone_FOUND} ${hone_VERSION}\")\n" + then);
    return ShellOfUser("rm -rf b; cmake -S . -B b");
  }
};

TEST_F(FindPackage, FindsTheRuntimeAlone) {
  for (const char* component : {"runtime", "development"}) Install(component);
  EXPECT_THAT(Find("REQUIRED COMPONENTS runtime").out, HasSubstr("found 1 " HONE_VERSION));
  const ProgramResult tools = Find("REQUIRED COMPONENTS tools");
  EXPECT_NE(tools.code, 0);
  EXPECT_THAT(tools.err, HasSubstr("install the package hone"));
  EXPECT_THAT(Find("REQUIRED COMPONENTS graph").err, HasSubstr("libhone-graph-dev"));
  EXPECT_THAT(Find("COMPONENTS tools").out, HasSubstr("found 0"));
  const ProgramResult other = Find("REQUIRED COMPONENTS compiler");
  EXPECT_NE(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("hone has no component compiler"));
  EXPECT_NE(Find("99 REQUIRED").code, 0);
}

TEST_F(FindPackage, FindsTheProgramsWhereTheTreeWasMovedTo) {
  for (const char* component : {"runtime", "development", "runner", "tools"}) Install(component);
  ASSERT_EQ(Shell("mv ../usr ../moved").code, 0);
  environment["MOVED"] = Path("moved");
  const ProgramResult r =
      Find("REQUIRED COMPONENTS runtime tools HINTS $ENV{MOVED}",
           "foreach(p hone hone-compiler hone-runner)\nget_target_property(at hone::${p} LOCATION)\n"
           "message(STATUS \"${p} at ${at}\")\nendforeach()\n");
  for (const char* program : {"hone", "hone-compiler", "hone-runner"}) {
    EXPECT_THAT(r.out, HasSubstr(std::string(program) + " at " + Path("moved") + "/bin/" + program + "\n")) << r.err;
  }
  const ProgramResult flags = ShellOfUser("PKG_CONFIG_PATH=$MOVED/lib/pkgconfig pkg-config --cflags --libs hone");
  EXPECT_THAT(flags.out, HasSubstr("-lhone"));
  EXPECT_EQ(ShellOfUser("$MOVED/bin/hone --version").code, 0);
}

}  // namespace
}  // namespace hone
