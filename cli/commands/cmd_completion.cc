#include "cli/command_line.h"
#include "cli/completion.h"
#include "lab/text/print.h"

namespace hone {

int CompletionCommand(const Arguments& arguments) {
  CommandLine line("hone completion", "Prints what a shell needs to complete commands and options.",
                   "source <(hone completion bash)");
  std::string shell;
  line.Add("SHELL", shell, "the shell to complete for").Required().OneOf({"bash", "zsh", "fish"});
  if (!line.Parse(arguments)) return 0;
  Print("{}", CompletionScript(DescribeCommands("hone", AllCommands()), shell));
  return 0;
}

}  // namespace hone
