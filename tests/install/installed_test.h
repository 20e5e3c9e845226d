// hone installed into a folder of the test's.
#pragma once

#include <string>

#include "tests/cli/run_program.h"

namespace hone {

class InstalledTest : public ProgramTest {
 protected:
  // `cmake --install` of one component, to Prefix().
  void Install(const std::string& component);
  std::string Prefix() const { return Path("usr"); }
  // A line as ProgramTest::Shell has it, with what is installed in place of what was built; /usr stands for Prefix()
  // where it names a file of hone's.
  ProgramResult ShellOfUser(const std::string& line);
  // Types what a page's blocks show, and expects what they say.
  void PlayPage(const std::string& page);
};

}  // namespace hone
