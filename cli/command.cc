#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/command_tree.h"
#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/text/print.h"

namespace hone {
namespace {

std::string HelpText(std::string_view program, const std::vector<Command>& commands) {
  size_t width = 0;
  for (const Command& c : commands) width = std::max(width, c.name.size());
  std::string text = fmt::format("usage: {} COMMAND [options]\n\n", program);
  for (const Command& c : commands) text += fmt::format("  {:<{}}  {}\n", c.name, width, c.summary);
  return text + fmt::format("\n`{} COMMAND --help` lists a command's options.\n", program);
}

std::string Suggestion(const std::string& given, const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& c : commands) names.emplace_back(c.name);
  return DidYouMean(given, names);
}

}  // namespace

int RunNamedCommand(std::string_view program, const std::vector<Command>& commands, const Arguments& arguments) {
  if (CommandDescription* asked = DescriptionAskedFor()) {
    asked->commands = DescribeCommands(asked->name, commands).commands;
    return 0;
  }
  if (arguments.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("no command given; `{} --help` lists them", program));
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    Print("{}", HelpText(program, commands));
    return 0;
  }
  for (const Command& c : commands) {
    if (c.name == name) return c.run(Arguments(arguments.begin() + 1, arguments.end()));
  }
  throw Error(ExitCode::kUsage,
              fmt::format("no command {}{} (`{} --help` lists them)", name, Suggestion(name, commands), program));
}

}  // namespace hone
