#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/help_text.h"
#include "core/error.h"

namespace hone {
namespace {

struct Parsed {
  int trials = 0;
  std::string target, model;
  int level = 3;
};

Parsed Parse(const Arguments& arguments) {
  CommandLine line("hone test", "a test", "hone test m.onnx");
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

struct ParsedLists {
  std::vector<std::string> packages, dims, tasks, files;
};

ParsedLists ParseLists(const Arguments& arguments) {
  CommandLine line("hone test", "a test", "hone test p.hone");
  ParsedLists p;
  line.Add("PACKAGE", p.packages, "packages");
  line.Add("--dim", p.dims, "a dimension");
  line.Add("--tasks", p.tasks, "some of them");
  line.Add("--results", p.files, "some files").Reads();
  line.Parse(arguments);
  return p;
}

using Words = std::vector<std::string>;

TEST(CommandLineLists, EndBeforeAWordOfAnotherKind) {
  EXPECT_EQ(ParseLists({"--dim", "rows=2", "p.hone"}).packages, Words{"p.hone"});
  EXPECT_EQ(ParseLists({"--dim=rows=2", "p", "q"}).packages, (Words{"p", "q"}));
  const ParsedLists two = ParseLists({"--dim", "a=1", "b=2", "p.hone", "--dim", "c=3", "q.hone", "--tasks", "x"});
  EXPECT_EQ(two.dims, (Words{"a=1", "b=2", "c=3"}));
  EXPECT_EQ(two.packages, (Words{"p.hone", "q.hone"}));
  EXPECT_EQ(two.tasks, Words{"x"});
  const ParsedLists words = ParseLists({"--tasks", "conv2d", "dense", "zoo:mlp"});
  EXPECT_EQ(words.tasks, (Words{"conv2d", "dense"}));
  EXPECT_EQ(words.packages, Words{"zoo:mlp"});
  EXPECT_EQ(ParseLists({"--tasks", "conv2d", "/tmp"}).packages, Words{"/tmp"}) << "it exists";
  EXPECT_EQ(ParseLists({"--tasks", "llvm -mcpu=znver4", "dense"}).tasks.size(), 2U);
}

TEST(CommandLineLists, TakeAllTheirWords) {
  EXPECT_EQ(ParseLists({"--results", "/tmp", "/usr", "m.onnx"}).files, (Words{"/tmp", "/usr"}));
  EXPECT_EQ(ParseLists({"--tasks", "a", "--", "b"}).packages, Words{"b"});
}

std::string GivenOf(const Arguments& arguments, const std::set<Topic>& topics) {
  CommandLine line("hone test", "a test", "hone test m.onnx");
  std::string db, fill, target = "host";
  int threads = 0;
  bool no_records = false;
  std::vector<std::string> shapes;
  std::string model;
  line.Add("--shape", shapes, "of an input").About(Topic::kModel);
  line.Add("MODEL", model, "a model").About(Topic::kModel);
  line.Add("--db", db, "a store").About(Topic::kStore);
  line.AddFlag("--no-records", no_records, "none").About(Topic::kStore);
  line.Add("--threads", threads, "how many").Env("HONE_TEST_THREADS").About(Topic::kThreads);
  line.Add("--target", target, "for what").ShowDefault().About(Topic::kTarget);
  line.Add("--fill", fill, "with what");
  line.Parse(arguments);
  return line.Given(topics);
}

TEST(CommandLineGiven, RepeatsWhatWasGivenOfItsTopicsForAShell) {
  const Arguments arguments = {"--db",   "my store.db", "--no-records", "--fill",        "ramp",
                               "m.onnx", "--shape",     "a=1,2",        "--shape=it's=3"};
  EXPECT_EQ(GivenOf(arguments, {Topic::kModel, Topic::kStore, Topic::kTarget}),
            " m.onnx --shape a=1,2 --shape 'it'\\''s=3' --db 'my store.db' --no-records");
  EXPECT_EQ(GivenOf(arguments, {Topic::kTarget, Topic::kThreads}), "");
}

TEST(CommandLineGiven, LeavesOutWhatTheEnvironmentGivesAgain) {
  setenv("HONE_TEST_THREADS", "3", 1);
  EXPECT_EQ(GivenOf({"m.onnx"}, {Topic::kThreads}), "");
  EXPECT_EQ(GivenOf({"m.onnx", "--threads=2"}, {Topic::kThreads}), " --threads 2");
  unsetenv("HONE_TEST_THREADS");
}

TEST(CommandLineGiven, SaysWhatAnOptionWasResolvedTo) {
  CommandLine line("hone test", "a test", "hone test m.onnx");
  std::string target = "runner";
  line.Add("--target", target, "for what").About(Topic::kTarget);
  line.Parse({"--target", "runner"});
  line.Resolve("--target", "llvm -mcpu=znver3");
  EXPECT_EQ(line.Given({Topic::kTarget}), " --target 'llvm -mcpu=znver3'");
  EXPECT_EQ(line.Again(), "hone test --target runner");
}

int TestCommand(const Arguments& arguments) {
  CommandLine line("hone test", "a test", "hone test m.onnx");
  std::string model, other, db, output, math = "fast";
  int threads = 0;
  bool dry = false;
  line.First({"--threads", "--dry"});
  line.Add("MODEL", model, "a model").Required();
  line.Add("OTHER", other, "another model");
  line.Add("-o,--output", output, "a file").Writes();
  line.Add("--db,--store", db, "a store").Default("your own").About(Topic::kStore).Formerly("--store");
  line.AddFlag("--dry", dry, "nothing is kept").In(OptionGroup::kSearch);
  line.Add("--math", math, "how exact").OneOf({"fast", "exact"}).ShowDefault().About(Topic::kMath);
  line.Add("--threads", threads, "how many").Env("HONE_TEST_THREADS").About(Topic::kThreads);
  line.Parse(arguments);
  return 0;
}

TEST(CommandLineHelp, ListsOptionsByGroup) {
  const CommandDescription program = DescribeCommands("hone", {{"test", "a test", TestCommand}});
  EXPECT_EQ(HelpText(program.commands.front()), R"(a test

usage: hone test MODEL [OTHER] [options]

  MODEL                       a model
  OTHER                       another model

Options
  --threads N                 how many [env: HONE_TEST_THREADS]
  --dry                       nothing is kept

Precision
  --math fast|exact           how exact [default: fast]

Records
  --db VALUE                  a store [default: your own]

Output
  -o, --output FILE           a file
  --json                      print one JSON document on stdout and nothing else
  -h, --help                  show this text

Example: hone test m.onnx
)");
}

TEST(CommandLineHelp, DoesNotShowAFormerNameThatIsStillTaken) {
  CommandLine line("hone test", "a test", "hone test");
  std::string key;
  line.Add("--signing-key,--key", key, "whose it is").Formerly("--key");
  EXPECT_TRUE(line.Parse({"--key", "old"}));
  EXPECT_EQ(key, "old");
  const auto help = HelpText(DescribeCommands("hone", {{"test", "a test", TestCommand}}).commands.front());
  EXPECT_EQ(help.find("--store"), std::string::npos) << help;
}

TEST(CommandLineHelp, BreaksLongLinesAtBlanks) {
  CommandDescription command;
  OptionDescription option;
  option.names = {"--an-option-with-a-very-long-name"};
  for (int i = 0; i < 40; ++i) option.description += "word ";
  command.options = {option};
  std::istringstream lines(HelpText(command));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace hone
