#include "cli/command_line.h"
#include "cli/man_page.h"
#include "cli/printing/print.h"
#include "core/version.h"

namespace hone {

int ManCommand(const Arguments& arguments) {
  CommandLine line("hone man", "Prints the manual: hone man | man -l -");
  if (!line.Parse(arguments)) return 0;
  Print("{}", ManPage(DescribeCommands("hone", AllCommands()), HoneVersion()));
  return 0;
}

}  // namespace hone
