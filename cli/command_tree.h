// The program's commands and options as data, for shell completion and man pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace hone {

// The heading below which an option stands, in the order of the help text. kOptions is for the few that matter most.
enum class OptionGroup : uint8_t {
  kOptions,
  kModel,
  kShapes,
  kTarget,
  kPrecision,
  kPasses,
  kSearch,
  kTiming,
  kRecords,
  kRemote,
  kLimits,
  kOutput
};

std::string_view HeadingOf(OptionGroup group);

// The file that an option's value names: none, a file or folder to read, the model, a file to write, or an output
// folder.
enum class FileUse : uint8_t { kNone, kInput, kModel, kOutput, kOutputFolder };

struct OptionDescription {
  std::vector<std::string> names;    // "-o", "--output"; empty for a positional
  std::string value;                 // its value as the help names it, "FILE"; empty for a flag
  std::vector<std::string> choices;  // the only valid values, if limited
  std::string description;
  std::string fallback;     // the value without the option, as the help names it, or empty
  std::string environment;  // the variable that the fallback comes from, or empty
  OptionGroup group = OptionGroup::kOptions;
  bool required = false;
  bool repeats = false;  // takes several values
  FileUse use = FileUse::kNone;
};

struct CommandDescription {
  std::string name;  // as the user types it: "hone log best"
  std::string summary;
  std::string group;                       // the heading among the program's commands, or empty
  std::string example;                     // a whole command line
  std::vector<OptionDescription> options;  // positionals first, then by group
  std::vector<CommandDescription> commands;
};

// Describes each command of the table and its sub-commands. It calls their functions, which return from Parse at once.
CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands);

// Called by the commands: the place for their description while DescribeCommands runs; else nullptr.
CommandDescription* DescriptionAskedFor();

}  // namespace hone
