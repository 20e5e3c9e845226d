#include "cli/command_tree.h"

namespace hone {
namespace {

thread_local CommandDescription* asked_for = nullptr;

}  // namespace

CommandDescription* DescriptionAskedFor() { return asked_for; }

CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands) {
  CommandDescription all;
  all.name = program;
  CommandDescription* const outer = asked_for;
  for (const Command& command : commands) {
    CommandDescription one;
    one.name = program + " " + std::string(command.name);
    one.summary = command.summary;
    asked_for = &one;
    command.run({});
    all.commands.push_back(std::move(one));
  }
  asked_for = outer;
  return all;
}

}  // namespace hone
