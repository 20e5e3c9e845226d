// One command's options, with the conventions of this program. Only command_line.cc includes CLI11, which would take
// most of every command's compile time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone {

// The subject that an option decides. The line that names the next command repeats the given options of that command's
// topics. So it refers to the same model, machine and store.
enum class Topic : uint8_t { kModel, kPackage, kTarget, kThreads, kMath, kStore, kQuery, kRunners, kInputs };
// Topics that decide which kernels a model gets. They are the same for tuning and building.
inline const std::set<Topic> kKernelTopics = {Topic::kModel, Topic::kTarget, Topic::kThreads, Topic::kMath,
                                              Topic::kStore};

// Sets further properties of an added option. Valid as long as its CommandLine. Each call returns the option itself.
class Option {
 public:
  Option Required() const;
  // Takes the default from an environment variable; the flag has priority.
  Option Env(const std::string& name) const;
  // Shows the variable's present value as the default in the help text.
  Option ShowDefault() const;
  Option Between(int64_t least, int64_t most) const;
  Option BetweenReal(double least, double most) const;
  Option OneOf(const std::vector<std::string>& values) const;
  // A value that `parse` takes; the message of its Error then names the option.
  Option Parsed(const std::function<void(const std::string&)>& parse) const;
  Option Needs(const Option& other) const;
  Option Excludes(const Option& other) const;
  // Keeps a former name of the option valid without showing it: that name must be among those that Add was given.
  Option Formerly(const std::string& name) const;
  // Names in the help text what holds without the option, where it is no value that ShowDefault could show.
  Option Default(const std::string& text) const;
  // Without this the option's group follows from its topic, or from its use as an output.
  Option In(OptionGroup group) const;
  Option About(Topic topic) const;
  // The value, or the part behind NAME= in it, is a file or folder that the command reads. No output replaces it.
  Option Reads() const { return Uses(FileUse::kInput); }
  // The option names the model, which an output may replace only with --force.
  Option ReadsModel() const { return Uses(FileUse::kModel); }
  // The value is a file that the command writes. A command that also reads a model gets --force.
  Option Writes() const { return Uses(FileUse::kOutput); }
  // The value is a folder into which the command writes files.
  Option WritesInto() const { return Uses(FileUse::kOutputFolder); }

 private:
  friend class CommandLine;
  // Properties of options that CLI11 does not keep.
  struct Notes {
    std::map<const CLI::Option*, Topic> topics;
    std::map<const CLI::Option*, FileUse> uses;
    std::map<const CLI::Option*, OptionGroup> groups;
    std::map<const CLI::Option*, std::string> fallbacks;
    std::map<const CLI::Option*, std::string> former_names;
  };
  Option(CLI::Option* option, Notes* notes) : option_(option), notes_(notes) {}
  Option Uses(FileUse use) const;

  CLI::Option* option_;
  Notes* notes_;  // the CommandLine's
};

class CommandLine {
 public:
  // `name` is as the user types it: "hone log best". `example` is a whole command line, with which the help text ends.
  CommandLine(const std::string& name, const std::string& summary, const std::string& example);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `name` is "--trials", "-o,--output", or "MODEL" for a positional. `value` holds the default and must outlive Parse.
  // A vector takes several arguments: the words behind the option that look like its first. So `--dim n=2 P.hone` names
  // a dimension and a package.
  Option Add(const std::string& name, std::string& value, const std::string& description);
  Option Add(const std::string& name, int& value, const std::string& description);
  Option Add(const std::string& name, int64_t& value, const std::string& description);
  Option Add(const std::string& name, uint64_t& value, const std::string& description);
  Option Add(const std::string& name, double& value, const std::string& description);
  Option Add(const std::string& name, std::vector<std::string>& value, const std::string& description);
  Option AddFlag(const std::string& name, bool& value, const std::string& description);

  // Puts these options, "--budget", before all groups of the help text: the few that matter most, in this order.
  void First(const std::vector<std::string>& names) { first_ = names; }

  // Whether --json was given, which every command has: one JSON document on stdout.
  bool json() const { return json_; }

  // Parses into the values, and tells the process's OutputGuard of the files that they name. Returns false if it
  // printed the help text, after which the command is done. Throws Error: kBadData for an input of a kind that is never
  // read; kCannotCreate for an output that the guard refuses. Other mistakes are kUsage, with the nearest name for an
  // unknown option.
  bool Parse(const Arguments& arguments);

  // Ends a command: unless JSON was asked for, names the likeliest next command on stderr. It can be typed as printed,
  // except for words in capitals that only the user knows.
  void Next(const std::string& command) const;
  // The given options of these topics, for Next: positionals first, then options in the order in which they were added.
  // Each word follows a blank and is quoted for a shell. Values from the environment are left out, because the
  // environment will set them again.
  std::string Given(const std::set<Topic>& topics) const;
  // Makes Given use this text for the option `name` ("--target"), whether or not it was given.
  void Resolve(const std::string& name, const std::string& text) { resolved_[name] = text; }
  // This command with its arguments, for Next.
  std::string Again() const;

 private:
  void RejectUnknownOptions(const Arguments& arguments) const;
  // With "--", which CLI11 drops, where an option's values end before a word of another kind.
  Arguments WithListsEnded(const Arguments& arguments) const;
  bool IsOnTheLine(const CLI::Option& option) const;
  // The option as words, repeated for each of its values; empty if it was not given.
  std::vector<std::string> Words(const CLI::Option& option) const;
  Option Added(CLI::Option* option) { return {option, &notes_}; }
  bool HasUse(FileUse use) const;
  // Adds the options that every command has, and --force where it applies.
  void AddOwnOptions();
  OptionGroup GroupOf(const CLI::Option& option) const;
  OptionDescription DescriptionOf(const CLI::Option& option) const;
  // Fills in all but the summary and the commands.
  void Describe(CommandDescription& description) const;
  std::string Help() const;
  // "" is what the program's code takes for an option that was not given.
  void RejectEmptyValues() const;
  void GuardFiles() const;

  std::unique_ptr<CLI::App> app_;
  std::string name_, example_;
  std::vector<std::string> first_;
  bool json_ = false, force_ = false;
  Arguments arguments_;  // the parsed arguments
  Option::Notes notes_;
  std::map<std::string, std::string> resolved_;  // by option name
};

}  // namespace hone
