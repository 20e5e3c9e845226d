// One command's options, with the program's own manners. CLI11 lies behind it and is included in command_line.cc alone:
// it would be most of every command's compile time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/command_tree.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone {

// What an option decides. The line that names the next command repeats what was given of that command's topics, so that
// it answers for the same model, machine and store.
enum class Topic : uint8_t { kModel, kPackage, kTarget, kThreads, kMath, kStore, kQuery, kRunners, kInputs };
// What decides which kernels a model gets: the same for tuning it and for building it.
inline const std::set<Topic> kKernelTopics = {Topic::kModel, Topic::kTarget, Topic::kThreads, Topic::kMath,
                                              Topic::kStore};

// What else holds for an option that was added. Valid as long as its CommandLine. Each returns the option itself.
class Option {
 public:
  Option Required() const;
  // A default from the environment; the flag wins.
  Option Env(const std::string& name) const;
  // The help text tells the variable's value as the default.
  Option ShowDefault() const;
  Option Between(int64_t least, int64_t most) const;
  Option BetweenReal(double least, double most) const;
  Option OneOf(const std::vector<std::string>& values) const;
  Option Needs(const Option& other) const;
  Option Excludes(const Option& other) const;
  Option About(Topic topic) const;
  // Its value, or what stands behind NAME= in it, is a file or folder that the command reads: no output replaces it.
  Option Reads() const { return Uses(FileUse::kInput); }
  // The option names the model, which an output may replace with --force.
  Option ReadsModel() const { return Uses(FileUse::kModel); }
  // A file that the command writes; a command that also reads a model gets --force.
  Option Writes() const { return Uses(FileUse::kOutput); }
  // A folder that it writes files into.
  Option WritesInto() const { return Uses(FileUse::kOutputFolder); }

 private:
  friend class CommandLine;
  // Properties of options that a CommandLine keeps and CLI11 does not.
  struct Notes {
    std::map<const CLI::Option*, Topic> topics;
    std::map<const CLI::Option*, FileUse> uses;
  };
  Option(CLI::Option* option, Notes* notes) : option_(option), notes_(notes) {}
  Option Uses(FileUse use) const;

  CLI::Option* option_;
  Notes* notes_;  // the CommandLine's
};

class CommandLine {
 public:
  // `name` as the user writes it: "hone log best".
  CommandLine(const std::string& name, const std::string& summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // "--trials", "-o,--output", or "MODEL" for a positional. The value, which is the default until then, must outlive
  // Parse. A vector takes several arguments.
  Option Add(const std::string& name, std::string& value, const std::string& description);
  Option Add(const std::string& name, int& value, const std::string& description);
  Option Add(const std::string& name, int64_t& value, const std::string& description);
  Option Add(const std::string& name, uint64_t& value, const std::string& description);
  Option Add(const std::string& name, double& value, const std::string& description);
  Option Add(const std::string& name, std::vector<std::string>& value, const std::string& description);
  Option AddFlag(const std::string& name, bool& value, const std::string& description);

  // Whether one JSON document on stdout was asked for: every command has --json.
  bool json() const { return json_; }

  // Parses into the values, and tells the process's OutputGuard of the files that they name. Returns false when it
  // printed the help text: the command is done then. Throws Error: kUsage on anything else that is not right, for an
  // unknown option with the nearest; kBadData for an input of a kind that is never read; kCannotCreate for an output
  // that the guard refuses.
  bool Parse(const Arguments& arguments);

  // Ends a command: names a next one on stderr, the likeliest first, unless JSON was asked for. It can be typed as it
  // stands, but for the words in capitals that only the user knows.
  void Next(const std::string& command) const;
  // For Next: what the command line gave of these topics, in the order in which the options were added but positionals
  // first, each word after a blank and quoted for a shell. What the environment gave is left out: it will give it
  // again.
  std::string Given(const std::set<Topic>& topics) const;
  // As Given, with this text for the option `name` ("--target"), whether it was given or not.
  void Resolve(const std::string& name, const std::string& text) { resolved_[name] = text; }
  // For Next: this very command.
  std::string Again() const;

 private:
  void RejectUnknownOptions(const Arguments& arguments) const;
  bool IsOnTheLine(const CLI::Option& option) const;
  // The option as words, one time for each of its values; empty when there is nothing to say.
  std::vector<std::string> Words(const CLI::Option& option) const;
  Option Added(CLI::Option* option) { return {option, &notes_}; }
  bool HasUse(FileUse use) const;
  void AddForce();
  void GuardFiles() const;

  std::unique_ptr<CLI::App> app_;
  std::string name_;
  bool json_ = false, force_ = false;
  Arguments arguments_;  // that were parsed
  Option::Notes notes_;
  std::map<std::string, std::string> resolved_;  // by option name
};

}  // namespace hone
