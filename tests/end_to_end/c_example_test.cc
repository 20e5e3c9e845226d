// The C example is the first user of the C API: it prints the same as `hone run`.
#include <gtest/gtest.h>

#include <sstream>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"

namespace hone {
namespace {

using CExample = ProgramTest;

TEST_F(CExample, PrintsTheOutputsOfHoneRun) {
  const std::string package = Path("work/s.hone");
  ASSERT_EQ(
      Hone({"build", "zoo:squeezenet", "--image-shape", "3,64,64", "--classes", "10", "-o", package, "--no-records"})
          .code,
      0);
  const ProgramResult run = Hone({"run", package, "--fill", "ramp", "--threads", "2", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json output = ParseJson(run.out, "run").at("outputs").at(0);

  ChildProgram example(HONE_EXAMPLE, {package, "2"}, Path("work/example"));
  ASSERT_EQ(example.Wait(), 0) << example.ErrorText();
  ASSERT_EQ(example.Lines().size(), 1U);
  std::istringstream words(example.Lines()[0]);
  std::string word;
  words >> word;
  EXPECT_EQ(word, output.at("name").get<std::string>() + ":");
  ASSERT_EQ(output.at("first").size(), 10U);
  for (const Json& value : output.at("first")) {
    words >> word;
    // %g prints six digits.
    EXPECT_NEAR(std::stod(word), value.get<double>(), 1e-5 * std::abs(value.get<double>()));
  }
}

TEST_F(CExample, SaysWhyAPackageCannotBeLoaded) {
  ChildProgram example(HONE_EXAMPLE, {Path("work/no.hone")}, Path("work/example"));
  EXPECT_EQ(example.Wait(), 66);
  EXPECT_NE(example.ErrorText().find("no.hone"), std::string::npos);
}

}  // namespace
}  // namespace hone
