// Terminal output: progress lines that fit and are erased, tables of at most 80 columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <utility>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class TerminalProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --classes 1000 --image-shape 1,14,14 -o m.onnx").code, 0);
    ASSERT_EQ(Shell("hone build m.onnx -o m.hone --no-records --threads 1").code, 0);
  }
  // Everything that a terminal with this many columns receives from a shell's line. It is narrowed once it has shown
  // `until`.
  std::string OnTerminal(const std::string& line, unsigned short columns, const std::string& until = "",
                         unsigned short then_columns = 0) {
    winsize size{24, columns, 0, 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      setenv("HONE", HONE_PROGRAM, 1);
      setenv("XDG_DATA_HOME", Path("").c_str(), 1);
      setenv("TERM", "xterm-256color", 1);
      unsetenv("XTERM_VERSION");
      unsetenv("NO_COLOR");
      const std::string script = "cd " + Path("work") + " && " + line;
      execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    std::string shown;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(terminal, buffer, sizeof(buffer))) > 0;) {
      shown.append(buffer, static_cast<size_t>(got));
      if (then_columns == 0 || shown.find(until) == std::string::npos) continue;
      size.ws_col = std::exchange(then_columns, 0);
      ioctl(terminal, TIOCSWINSZ, &size);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    EXPECT_EQ(WEXITSTATUS(status), 0) << shown;
    return shown;
  }
  // The text after each "\r\033[K", up to the next one or the end of the line; empty if it is no status.
  static std::vector<std::string> Statuses(const std::string& shown) {
    std::vector<std::string> statuses;
    for (size_t at = shown.find("\r\033[K"); at != std::string::npos; at = shown.find("\r\033[K", at + 1)) {
      const size_t begin = at + 4;
      const std::string text = shown.substr(begin, shown.find_first_of("\r\n", begin) - begin);
      statuses.push_back(text.rfind("package ", 0) == 0 ? "" : text);
    }
    return statuses;
  }
};

TEST_F(TerminalProgram, BenchShowsItsRoundsAndTakesThemAway) {
  const std::string shown = OnTerminal("\"$HONE\" bench m.hone --threads 1 --runs 20", 80);
  const std::vector<std::string> statuses = Statuses(shown);
  ASSERT_GE(statuses.size(), 10U) << shown;
  EXPECT_EQ(statuses.front(), "round 0 of 10");
  EXPECT_EQ(statuses.back(), "") << "the last one stays";
  EXPECT_LT(shown.rfind("\r\033[K"), shown.find("median")) << "the table comes after it";
}

TEST_F(TerminalProgram, ProgressNeverWraps) {
  for (const char* line : {"\"$HONE\" bench m.hone --threads 1 --runs 20",
                           "\"$HONE\" tune m.onnx --db r.db --threads 1 --trials 4 --finals kernels"}) {
    const std::vector<std::string> statuses = Statuses(OnTerminal(line, 12));
    EXPECT_FALSE(statuses.empty()) << line;
    for (const std::string& status : statuses) EXPECT_LT(status.size(), 12U) << status;
  }
}

// "round 3 of 10" becomes two rows of eight columns.
TEST_F(TerminalProgram, ProgressIsTakenAwayAlsoFromANarrowerWindow) {
  const std::string shown = OnTerminal("\"$HONE\" bench m.hone --threads 1 --min-time 2s", 80, "round 3 of 10", 8);
  const size_t narrow = shown.find("\r\033[1A\033[J");
  ASSERT_NE(narrow, std::string::npos) << shown;
  EXPECT_EQ(shown.find("\r\033[1A\033[J", narrow + 1), std::string::npos) << "from then on lines fit";
}

TEST_F(TerminalProgram, APipeGetsNoProgressOfBench) {
  const ProgramResult r = Shell("hone bench m.hone --threads 1 --runs 20");
  EXPECT_THAT(r.err, Not(HasSubstr("round 1 of")));
  EXPECT_THAT(r.out + r.err, Not(HasSubstr("\033")));
}

TEST_F(TerminalProgram, TablesFitEightyColumns) {
  for (const char* line : {"hone bench m.hone --threads 1 --runs 20", "hone bench m.hone --streams 1,2 --runs 20",
                           "hone profile m.hone --threads 1 --runs 3",
                           "hone tune m.onnx --db t.db --threads 1 --trials 4 --finals kernels"}) {
    std::istringstream lines(Shell(line).out);
    for (std::string text; std::getline(lines, text);) {
      if (text.find("  ") == std::string::npos) continue;  // not a row of a table
      EXPECT_LE(text.size(), 80U) << line << "\n" << text;
    }
  }
}

// Lines below a row give a cell's full text, which may be wider. A pipe gets whole rows.
TEST_F(TerminalProgram, WideTablesFitTheTerminalAndAreWholeInAPipe) {
  // The CPU's name may be one long word, and words are not broken.
  ASSERT_EQ(Shell("hone tune m.onnx --target x86-64-v2 --db r.db --threads 1 --trials 4 --finals kernels").code, 0);
  for (const char* line : {"build m.onnx -o q.hone --no-records --threads 1", "compare m.onnx --db r.db",
                           "compare m.onnx --layers --db r.db", "log list --db r.db", "log best --db r.db"}) {
    std::istringstream lines(OnTerminal(std::string("\"$HONE\" ") + line, 80));
    for (std::string text; std::getline(lines, text);) {
      if (text.find("  ", 1) == std::string::npos) continue;
      EXPECT_LE(text.size(), 81U) << line << "\n" << text;  // including "\r"
    }
    EXPECT_THAT(Shell(std::string("hone ") + line).out, testing::ContainsRegex("[^\n]{81}")) << line;
  }
}

TEST_F(TerminalProgram, OnlyATerminalGetsVerdictsInColour) {
  ASSERT_EQ(Shell("hone zoo mlp --classes 1000 --image-shape 1,14,14 --seed 7 -o other.onnx").code, 0);
  const std::string differs = "\"$HONE\" verify other.onnx m.hone --fill random || true";
  EXPECT_THAT(OnTerminal(differs, 80), HasSubstr("\033[31mDIFFERS\033[0m"));
  EXPECT_THAT(OnTerminal("TERM=dumb; export TERM; " + differs, 80), Not(HasSubstr("\033")));
  EXPECT_THAT(OnTerminal("NO_COLOR=1; export NO_COLOR; " + differs, 80), Not(HasSubstr("\033")));
  EXPECT_THAT(Shell(differs).out, testing::AllOf(HasSubstr("DIFFERS"), Not(HasSubstr("\033"))));
}

}  // namespace
}  // namespace hone
