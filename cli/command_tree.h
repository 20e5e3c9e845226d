// The commands and options of the program as data: for shell completion and man pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace hone {

// The thing that an option's value names: nothing on the disk, a file or folder that is read, the model, a file that
// is written, or a folder that files are written into.
enum class FileUse : uint8_t { kNone, kInput, kModel, kOutput, kOutputFolder };

struct OptionDescription {
  std::vector<std::string> names;    // "-o", "--output"; empty for a positional
  std::string value;                 // what it takes as help names it, "PACKAGE"; empty for a flag
  std::vector<std::string> choices;  // where only these are right
  std::string description;
  bool required = false;
  FileUse use = FileUse::kNone;
};

struct CommandDescription {
  std::string name;  // as the user writes it: "hone log best"
  std::string summary;
  std::vector<OptionDescription> options;  // positionals first
  std::vector<CommandDescription> commands;
};

// Asks each command of the table, and theirs, what it takes; runs none of them.
CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands);

// For those that are asked. While DescribeCommands runs this is where an answer goes; else nullptr.
CommandDescription* DescriptionAskedFor();

}  // namespace hone
