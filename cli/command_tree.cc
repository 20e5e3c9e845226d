#include "cli/command_tree.h"

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

}  // namespace hone
