#include "cli/man_page.h"

#include <fmt/format.h>

#include <optional>

#include "cli/help_text.h"

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

}  // namespace

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

}  // namespace hone
