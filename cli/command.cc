#include "cli/command.h"

#include <fmt/format.h>

#include "cli/command_tree.h"
#include "cli/help_text.h"
#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/text/print.h"

namespace hone {
namespace {

std::string Suggestion(const std::string& given, const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& c : commands) names.emplace_back(c.name);
  return DidYouMean(given, names);
}

}  // namespace

int RunNamedCommand(std::string_view program, std::string_view example, const std::vector<Command>& commands,
                    const Arguments& arguments) {
  if (CommandDescription* asked = DescriptionAskedFor()) {
    asked->example = example;
    asked->commands = DescribeCommands(asked->name, commands).commands;
    return 0;
  }
  if (arguments.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("no command given; `{} --help` lists them", program));
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    Print("{}", CommandTable(program, example, commands));
    return 0;
  }
  for (const Command& c : commands) {
    if (c.name == name) return c.run(Arguments(arguments.begin() + 1, arguments.end()));
  }
  throw Error(ExitCode::kUsage,
              fmt::format("no command {}{} (`{} --help` lists them)", name, Suggestion(name, commands), program));
}

}  // namespace hone
