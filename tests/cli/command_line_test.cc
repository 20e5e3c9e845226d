#include "cli/command_line.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

struct Parsed {
  int trials = 0;
  std::string target, model;
  int level = 3;
};

Parsed Parse(const Arguments& arguments) {
  CommandLine line("hone test", "a test");
  Parsed p;
  line.Add("MODEL", p.model, "a model").Required();
  line.Add("--trials", p.trials, "how many");
  line.Add("--target", p.target, "for what");
  line.Add("-O,--opt-level", p.level, "how much");
  line.Parse(arguments);
  return p;
}

std::string MessageOf(const Arguments& arguments) {
  try {
    Parse(arguments);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kUsage);
    return e.what();
  }
  return "";
}

TEST(CommandLine, ReadsOptionsInEveryForm) {
  const Parsed p = Parse({"--trials=7", "m.onnx", "--target", "llvm -mcpu=znver3", "-O2"});
  EXPECT_EQ(p.trials, 7);
  EXPECT_EQ(p.model, "m.onnx");
  EXPECT_EQ(p.target, "llvm -mcpu=znver3");
  EXPECT_EQ(p.level, 2);
}

TEST(CommandLine, NamesTheNearestOption) {
  EXPECT_NE(MessageOf({"m.onnx", "--trails", "7"}).find("did you mean --trials?"), std::string::npos);
  EXPECT_NE(MessageOf({"m.onnx", "--traget=host"}).find("did you mean --target?"), std::string::npos);
}

TEST(CommandLine, SaysWhatIsMissingOrWrongInOneLine) {
  EXPECT_NE(MessageOf({}).find("MODEL"), std::string::npos);
  EXPECT_NE(MessageOf({"m", "--trials", "many"}).find("--trials"), std::string::npos);
  EXPECT_EQ(MessageOf({"m", "--trials", "many"}).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace hone
