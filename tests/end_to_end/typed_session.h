// A session with other machines as a page types it: keys, codes, a board, a person. Each prompt is a separate user.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"

namespace hone {

struct Typed {
  std::string who, line;
};

// The text after `who$` in the page, without the remarks.
std::vector<Typed> SessionOf(const std::string& page);

// The program that a board runs in place of `hone-runner`, and the words that it gets besides those typed.
struct BoardProgram {
  std::string program;
  std::vector<std::string> before;  // words in front of the options
  std::vector<std::string> after;
};

struct Answer {
  Typed typed;
  ProgramResult result;
};

class TypedSessionTest : public ProgramTest {
 protected:
  void TearDown() override;

  // Types it line by line. A tracker and the board's program run until the test ends. `hone tune` gets few trials.
  // `hone build` is the command that tune printed, because the page's device is another one. Fails the test at the
  // first line that does not end well; returns the output of the others.
  std::vector<Answer> Play(const std::vector<Typed>& session, const BoardProgram& board);
  // Runs the line as `who`, with CODE and the page's tracker filled in.
  ProgramResult As(const Typed& typed);
  std::string BoardErrors() const { return board_ ? board_->ErrorText() : ""; }

 private:
  std::unique_ptr<ChildProgram> Beside(const std::string& program, const std::vector<std::string>& before,
                                       const Typed& typed, const std::vector<std::string>& after);
  void StartTracker(const Typed& typed);
  // Waits at most a minute for the device that `typed` asks for: a board may be slow to enrol.
  void WaitForBoard(const Typed& typed);
  void Take(const Typed& typed, const BoardProgram& board, std::vector<Answer>& answers);
  std::string Filled(const std::string& line) const;

  std::string code_;     // the last code printed
  std::string build_;    // the build command that tune printed
  std::string address_;  // address used for the page's "tcp://lab:9190"
  std::unique_ptr<ChildProgram> tracker_, board_;
};

}  // namespace hone
