#include "cli/command.h"

#include <fmt/format.h>

#include "cli/help_text.h"
#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/text/print.h"

namespace hone {

namespace {

thread_local CommandDescription* asked_for = nullptr;

}  // namespace

std::string_view HeadingOf(OptionGroup group) {
  switch (group) {
    case OptionGroup::kOptions:
      return "Options";
    case OptionGroup::kModel:
      return "Model";
    case OptionGroup::kShapes:
      return "Inputs and shapes";
    case OptionGroup::kTarget:
      return "Target and threads";
    case OptionGroup::kPrecision:
      return "Precision";
    case OptionGroup::kPasses:
      return "Passes";
    case OptionGroup::kSearch:
      return "Search";
    case OptionGroup::kTiming:
      return "Timing";
    case OptionGroup::kRecords:
      return "Records";
    case OptionGroup::kRemote:
      return "Remote";
    case OptionGroup::kLimits:
      return "Limits";
    case OptionGroup::kOutput:
      return "Output";
  }
  return "";
}

CommandDescription* DescriptionAskedFor() { return asked_for; }

CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands) {
  CommandDescription all;
  all.name = program;
  CommandDescription* const outer = asked_for;
  for (const Command& command : commands) {
    if (command.hidden) continue;
    CommandDescription one;
    one.name = program + " " + std::string(command.name);
    one.summary = command.summary;
    one.group = command.group;
    asked_for = &one;
    command.run({});
    all.commands.push_back(std::move(one));
  }
  asked_for = outer;
  return all;
}

namespace {

std::string Suggestion(const std::string& given, const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& c : commands) {
    if (!c.hidden) names.emplace_back(c.name);
  }
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
  // `hone help tune` is what `hone tune --help` is.
  if (name == "help" && arguments.size() > 1) {
    Arguments asked(arguments.begin() + 1, arguments.end());
    asked.emplace_back("--help");
    return RunNamedCommand(program, example, commands, asked);
  }
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
