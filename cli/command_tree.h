// The program's commands and options as data, for shell completion and man pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace hone {

// The file that an option's value names: none, a file or folder to read, the model, a file to write, or an output
// folder.
enum class FileUse : uint8_t { kNone, kInput, kModel, kOutput, kOutputFolder };

struct OptionDescription {
  std::vector<std::string> names;    // "-o", "--output"; empty for a positional
  std::string value;                 // its value as the help names it, "PACKAGE"; empty for a flag
  std::vector<std::string> choices;  // the only valid values, if limited
  std::string description;
  bool required = false;
  FileUse use = FileUse::kNone;
};

struct CommandDescription {
  std::string name;  // as the user types it: "hone log best"
  std::string summary;
  std::vector<OptionDescription> options;  // positionals first
  std::vector<CommandDescription> commands;
};

// Describes each command of the table and its sub-commands. It calls their functions, which return from Parse at once.
CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands);

// Called by the commands: the place for their description while DescribeCommands runs; else nullptr.
CommandDescription* DescriptionAskedFor();

}  // namespace hone
