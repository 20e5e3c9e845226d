// One command's options, with the program's own manners. CLI11 lies behind it and is included in command_line.cc alone:
// it would be most of every command's compile time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone {

// What else holds for an option that was added. Valid as long as its CommandLine. Each returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
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

 private:
  CLI::Option* option_;
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

  // Parses into the values. Returns false when it printed the help text: the command is done then. Throws Error(kUsage)
  // on anything else that is not right, for an unknown option with the nearest.
  bool Parse(const Arguments& arguments);

  // Ends a command: names the next one on stderr, unless JSON was asked for.
  void Next(const std::string& what) const;

 private:
  void RejectUnknownOptions(const Arguments& arguments) const;

  std::unique_ptr<CLI::App> app_;
  std::string name_;
  bool json_ = false;
};

}  // namespace hone
