// `hone man`: the program's manual page.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help_text.h"
#include "core/version.h"
#include "lab/text/print.h"

namespace hone {
namespace {

// Escapes text: a backslash or a leading '.' would be a request, and '-' a hyphen.
std::string Text(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return escaped.rfind('.', 0) == 0 || escaped.rfind('\'', 0) == 0 ? "\\&" + escaped : escaped;
}

std::string Usage(const CommandDescription& command) {
  std::string usage = "\\fB" + Text(command.name) + "\\fR";
  for (const OptionDescription& option : command.options) {
    if (!option.names.empty()) continue;
    const std::string value = "\\fI" + Text(option.value) + "\\fR";
    usage += option.required ? " " + value : " [" + value + "]";
  }
  return usage + (command.commands.empty() ? " [\\fIoptions\\fR]" : " \\fICOMMAND\\fR [\\fIoptions\\fR]");
}

std::string OptionText(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + Text(name) + "\\fR";
  if (option.names.empty()) {
    names = "\\fI" + Text(option.value) + "\\fR";
  } else if (!option.value.empty()) {
    names += " \\fI" + option.value + "\\fR";
  }
  std::string text = fmt::format(".TP\n{}\n{}\n", names, Text(TextOf(option)));
  if (!option.choices.empty()) text += Text(fmt::format("One of: {}.", fmt::join(option.choices, ", "))) + "\n";
  return text;
}

std::string CommandSection(const CommandDescription& command) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}\n", Text(command.name), Text(command.summary), Usage(command));
  std::optional<OptionGroup> group;
  for (const OptionDescription& option : command.options) {
    if (!option.names.empty() && group != option.group) {
      group = option.group;
      text += fmt::format(".PP\n\\fB{}\\fR\n", HeadingOf(*group));
    }
    text += OptionText(option);
  }
  if (command.commands.empty()) text += fmt::format(".PP\nExample: {}\n", Text(command.example));
  for (const CommandDescription& sub : command.commands) text += CommandSection(sub);
  return text;
}

// A page of section 1 in man(7)'s macros: every command with its options.
std::string ManPage(const CommandDescription& program, const std::string& version) {
  std::string page = fmt::format(
      ".TH HONE 1 \"\" \"hone {}\" \"User Commands\"\n.SH NAME\nhone \\- tunes neural networks for the machine that "
      "runs "
      "them\n.SH SYNOPSIS\n{}\n.SH COMMANDS\n",
      version, Usage(program));
  for (const CommandDescription& command : program.commands) page += CommandSection(command);
  page +=
      ".SH EXIT STATUS\n0 done; 1 the answer is no; 2 usage; 65 bad data; 66 no such input; 69 no runner answers; "
      "70 a bug of hone; 73 a file cannot be created; 74 input or output failed; 77 not authorised; 78 bad "
      "configuration.\n";
  return page;
}

Json UseJson(FileUse use) {
  switch (use) {
    case FileUse::kNone:
      return nullptr;
    case FileUse::kInput:
      return "read";
    case FileUse::kModel:
      return "model";
    case FileUse::kOutput:
      return "written";
    case FileUse::kOutputFolder:
      return "folder";
  }
  return nullptr;
}

Json TreeJson(const CommandDescription& command) {
  Json options = Json::array(), commands = Json::array();
  for (const OptionDescription& option : command.options) {
    options.push_back({{"names", option.names},
                       {"value", option.value},
                       {"choices", option.choices},
                       {"description", option.description},
                       {"default", option.fallback},
                       {"group", HeadingOf(option.group)},
                       {"required", option.required},
                       {"file", UseJson(option.use)}});
  }
  for (const CommandDescription& sub : command.commands) commands.push_back(TreeJson(sub));
  return {{"name", command.name},       {"summary", command.summary}, {"group", command.group},
          {"example", command.example}, {"options", options},         {"commands", commands}};
}

}  // namespace

int ManCommand(const Arguments& arguments) {
  CommandLine line("hone man", "Prints the manual of all commands.", "hone man | man -l -");
  if (!line.Parse(arguments)) return 0;
  const CommandDescription program = DescribeCommands("hone", AllCommands());
  if (line.json()) {
    PrintJson(TreeJson(program));
  } else {
    Print("{}", ManPage(program, HoneVersion()));
  }
  return 0;
}

}  // namespace hone
