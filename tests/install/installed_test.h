// hone installed into a folder of the test.
#pragma once

#include <string>

#include "tests/cli/run_program.h"

namespace hone {

class InstalledTest : public ProgramTest {
 protected:
  // Runs `cmake --install` for one component, into Prefix().
  void Install(const std::string& component);
  std::string Prefix() const { return Path("usr"); }
  // Runs a line as ProgramTest::Shell does, with installed programs in place of built ones. /usr stands for Prefix()
  // where it names a file of hone's.
  ProgramResult ShellOfUser(const std::string& line);
  // Types the sessions in a page's blocks, and expects the output that they show.
  void PlayPage(const std::string& page);
};

}  // namespace hone
