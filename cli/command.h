// The commands of the program: each, or a group of them, is one file cmd_NAME.cc. A command parses its options, calls
// one door and prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The arguments after the command's name.
using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  // Returns the exit code. Throws Error.
  int (*run)(const Arguments& arguments);
  // The heading in the table of commands. Commands of one group stand together.
  std::string_view group = "Commands";
  // Whether no list of commands shows it: another name of a command that is listed.
  bool hidden = false;
};

// Runs the command that arguments[0] names, with the remaining arguments; `program` is the preceding text as the user
// typed it. Prints the table and the example, a whole command line, for --help. Throws Error(kUsage) if there is no
// command or an unknown one, with the nearest name.
int RunNamedCommand(std::string_view program, std::string_view example, const std::vector<Command>& commands,
                    const Arguments& arguments);

// The program's commands and options as data, for shell completion and man pages.

// The heading below which an option stands, in the order of the help text. kOptions is for the few that matter most.
enum class OptionGroup : uint8_t {
  kOptions,
  kModel,
  kShapes,
  kTarget,
  kPrecision,
  kPasses,
  kSearch,
  kSampling,
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

// Describes each command of the table that is not hidden, and its sub-commands. It calls their functions, which return
// from Parse at once.
CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands);

// Called by the commands: the place for their description while DescribeCommands runs; else nullptr.
CommandDescription* DescriptionAskedFor();

// The program's table of commands, defined in cli/all_commands.cc.
const std::vector<Command>& AllCommands();

int BenchCommand(const Arguments& arguments);
int BuildCommand(const Arguments& arguments);
int CompareCommand(const Arguments& arguments);
int CompletionCommand(const Arguments& arguments);
int DashboardCommand(const Arguments& arguments);
int DevicesCommand(const Arguments& arguments);
int DoctorCommand(const Arguments& arguments);
int ExplainCommand(const Arguments& arguments);
int InspectCommand(const Arguments& arguments);
int KeyCommand(const Arguments& arguments);
int LogCommand(const Arguments& arguments);
int ManCommand(const Arguments& arguments);
int OpsCommand(const Arguments& arguments);
int PackageCommand(const Arguments& arguments);
int ProfileCommand(const Arguments& arguments);
int QuantizeCommand(const Arguments& arguments);
int ReportCommand(const Arguments& arguments);
int RunCommand(const Arguments& arguments);
int GenerateCommand(const Arguments& arguments);
int RunnerCommand(const Arguments& arguments);
int RuntimeCommand(const Arguments& arguments);
int SpaceCommand(const Arguments& arguments);
int TargetsCommand(const Arguments& arguments);
int TrackerCommand(const Arguments& arguments);
int TuneCommand(const Arguments& arguments);
int VerifyCommand(const Arguments& arguments);
int ZooCommand(const Arguments& arguments);

// The sub-commands of `hone key`.
int KeyAllowCommand(const Arguments& arguments);
int KeyEnrollCommand(const Arguments& arguments);
int KeyJoinCommand(const Arguments& arguments);
int KeyListCommand(const Arguments& arguments);
int KeyNewCommand(const Arguments& arguments);
int KeyRevokeCommand(const Arguments& arguments);

// `hone package replace-params` and `open-params`: the same code with other parameters, at once or at load time.
int ReplaceParamsCommand(const Arguments& arguments);
int OpenParamsCommand(const Arguments& arguments);

}  // namespace hone
