// One command's options: CLI11 underneath, with the program's own manners on top.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command.h"

namespace hone {

class CommandLine {
 public:
  // `name` as the user writes it: "hone log best".
  CommandLine(const std::string& name, const std::string& summary);

  CLI::App& app() { return app_; }
  // Whether one JSON document on stdout was asked for.
  bool json() const { return json_; }

  // Parses into the variables that the options were bound to. Returns false when it printed the help text: the command
  // is done then. Throws Error(kUsage) on anything else that is not right, for an unknown option with the nearest.
  bool Parse(const Arguments& arguments);

  // Ends a command: names the next one on stderr, unless JSON was asked for.
  void Next(const std::string& what) const;

 private:
  void RejectUnknownOptions(const Arguments& arguments) const;

  CLI::App app_;
  std::string name_;
  bool json_ = false;
};

}  // namespace hone
