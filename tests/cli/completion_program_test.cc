// Shell completion and the manual, as used by a shell and by man.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class Completion : public ProgramTest {
 protected:
  // Bash's completions of the last of these words.
  std::string Offered(const std::string& words) {
    const ProgramResult r = Shell("bash -c 'eval \"$(\"$HONE\" completion bash)\"; COMP_WORDS=(" + words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hone; echo \"${COMPREPLY[@]}\"'");
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "") << words;
    return r.out;
  }
};

TEST_F(Completion, OfBashKnowsCommands) {
  EXPECT_EQ(Offered("hone ben"), "bench\n");
  EXPECT_THAT(Offered("hone \"\""), HasSubstr("tune"));
  EXPECT_EQ(Offered("hone log pru"), "prune\n");
}

TEST_F(Completion, OfBashKnowsTheOptionsOfACommand) {
  EXPECT_EQ(Offered("hone bench --fail"), "--fail-above\n");
  EXPECT_EQ(Offered("hone log prune --reh"), "--rehearse\n");
  EXPECT_EQ(Offered("hone build model.onnx --no-rec"), "--no-records\n");
}

TEST_F(Completion, OfBashKnowsValuesAndFiles) {
  EXPECT_EQ(Offered("hone tune --math e"), "exact\n");
  EXPECT_EQ(Offered("hone completion z"), "zsh\n");
  Write("work/model.onnx", "");
  EXPECT_EQ(Offered("hone tune mod"), "model.onnx\n");
}

TEST_F(Completion, OfOtherShellsNamesEveryCommand) {
  for (const char* shell : {"zsh", "fish"}) {
    const std::string script = Hone({"completion", shell}).out;
    for (const char* word : {"bench", "fail-above", "prune", "rehearse"}) EXPECT_THAT(script, HasSubstr(word)) << shell;
  }
  EXPECT_EQ(Hone({"completion", "tcsh"}).code, 2);
}

// The completion file lies in zsh's function path, or is read at once. The test types into a shell within the shell,
// and checks the command that it runs.
TEST_F(Completion, OfZshAnswersTheFirstTab) {
  if (Shell("zsh --version").code != 0) GTEST_SKIP() << "zsh is not installed (Debian package zsh)";
  Write("work/type.zsh", R"(
zmodload zsh/zpty
mkdir -p functions
"$HONE" completion zsh > functions/_hone
print 'hone() { print "ran:$*:" }; PS1=' > setup
[[ $1 == loaded ]] && print 'fpath=($PWD/functions $fpath)' >> setup
print 'autoload -Uz compinit; compinit -u -D' >> setup
[[ $1 == loaded ]] || print 'source functions/_hone' >> setup
print 'print "is""ready"' >> setup
zpty inner 'TERM=dumb zsh -f -i'
zpty -w inner 'source ./setup'
zpty -r inner shown '*isready*'
for words in 'hone ben' 'hone tune --math e' 'hone log pru'; do
  zpty -w -n inner "$words"$'\t\n'
  zpty -r inner shown '*ran:*:*'
  print -r -- ${${shown##*ran:}%%:*}
done
zpty -d inner
)");
  for (const char* how : {"loaded", "sourced"}) {
    const ProgramResult r = Shell(std::string("timeout 60 zsh -f type.zsh ") + how);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, "bench\ntune --math exact\nlog prune\n") << how;
  }
}

TEST_F(Completion, OfFishKnowsCommandsOptionsAndValues) {
  if (Shell("fish --version").code != 0) GTEST_SKIP() << "fish is not installed (Debian package fish)";
  const auto offered = [this](const std::string& words) {
    return Shell("\"$HONE\" completion fish > c.fish && fish --no-config -c 'source c.fish; complete -C \"" + words +
                 "\"'")
        .out;
  };
  EXPECT_THAT(offered("hone ben"), testing::StartsWith("bench\t"));
  EXPECT_THAT(offered("hone bench --fail"), testing::StartsWith("--fail-above\t"));
  EXPECT_EQ(offered("hone tune --math "), "exact\nfast\n") << "what the option does describes none of them";
  EXPECT_THAT(offered("hone tune --mat"), testing::StartsWith("--math\t"));
  EXPECT_EQ(offered("hone completion z"), "zsh\n");
  Write("work/model.onnx", "");
  EXPECT_THAT(offered("hone tune mod"), testing::StartsWith("model.onnx"));
}

// Completion of a command's arguments neither needs nor makes a store or a tracker.
TEST_F(Completion, LeavesNothingBehind) {
  const std::vector<std::string> before = Files();
  const ProgramResult r = Hone({"completion", "bash"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(Files(), before);
}

TEST_F(Completion, TheManualHasEveryCommandAndOption) {
  const std::string page = Hone({"man"}).out;
  EXPECT_THAT(page, testing::StartsWith(".TH HONE 1 "));
  for (const char* text :
       {".SS hone bench\n", ".SS hone log prune\n", "\\fB\\-\\-fail\\-above\\fR", ".SS hone devices\n"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, Not(HasSubstr("\n\n"))) << "an empty line is a request of its own";
}

}  // namespace
}  // namespace hone
