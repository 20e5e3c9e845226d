// The commands of the program: each is one file cmd_NAME.cc that parses its options, calls one door and prints.
#pragma once

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
};

// Runs the command that arguments[0] names, with the remaining arguments; `program` is the preceding text as the user
// typed it. Prints the table and the example, a whole command line, for --help. Throws Error(kUsage) if there is no
// command or an unknown one, with the nearest name.
int RunNamedCommand(std::string_view program, std::string_view example, const std::vector<Command>& commands,
                    const Arguments& arguments);

// The program's table of commands, defined in cli/main.cc.
const std::vector<Command>& AllCommands();

int AuthorizeCommand(const Arguments& arguments);
int BenchCommand(const Arguments& arguments);
int BuildCommand(const Arguments& arguments);
int CompareCommand(const Arguments& arguments);
int CompletionCommand(const Arguments& arguments);
int DashboardCommand(const Arguments& arguments);
int DevicesCommand(const Arguments& arguments);
int DoctorCommand(const Arguments& arguments);
int EnrollCommand(const Arguments& arguments);
int ExplainCommand(const Arguments& arguments);
int InspectCommand(const Arguments& arguments);
int JoinCommand(const Arguments& arguments);
int KeygenCommand(const Arguments& arguments);
int KeysCommand(const Arguments& arguments);
int LogCommand(const Arguments& arguments);
int ManCommand(const Arguments& arguments);
int OpsCommand(const Arguments& arguments);
int PackageCommand(const Arguments& arguments);
int ProfileCommand(const Arguments& arguments);
int QuantizeCommand(const Arguments& arguments);
int ReportCommand(const Arguments& arguments);
int RevokeCommand(const Arguments& arguments);
int RunCommand(const Arguments& arguments);
int RunnerCommand(const Arguments& arguments);
int SpaceCommand(const Arguments& arguments);
int TargetsCommand(const Arguments& arguments);
int TrackerCommand(const Arguments& arguments);
int TuneCommand(const Arguments& arguments);
int VerifyCommand(const Arguments& arguments);
int ZooCommand(const Arguments& arguments);

}  // namespace hone
