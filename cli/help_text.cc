#include "cli/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace hone {
namespace {

constexpr size_t kWidth = 100;
// The column in which the texts of options begin.
constexpr size_t kTextColumn = 30;

// The text broken at blanks into lines that end before kWidth. It begins at `column`; later lines begin at `indent`.
std::string WrappedFrom(const std::string& text, size_t column, size_t indent) {
  std::string wrapped;
  std::istringstream words(text);
  size_t at = column;
  for (std::string word; words >> word;) {
    const bool first = wrapped.empty();
    if (!first && at + 1 + word.size() > kWidth) {
      wrapped += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      wrapped += " ";
      ++at;
    }
    wrapped += word;
    at += word.size();
  }
  return wrapped;
}

// "-o, --output FILE", or "MODEL" for a positional.
std::string HeadOf(const OptionDescription& option) {
  const std::string dots = option.repeats ? "..." : "";
  if (option.names.empty()) return option.value + dots;
  std::string head = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.value.empty()) return head;
  return head + " " + (option.choices.empty() ? option.value : fmt::format("{}", fmt::join(option.choices, "|"))) +
         dots;
}

std::string OptionLines(const OptionDescription& option) {
  const std::string head = "  " + HeadOf(option);
  const bool fits = head.size() + 2 <= kTextColumn;
  const std::string gap = fits ? std::string(kTextColumn - head.size(), ' ') : "\n" + std::string(kTextColumn, ' ');
  return head + gap + WrappedFrom(TextOf(option), kTextColumn, kTextColumn) + "\n";
}

std::string UsageLine(const CommandDescription& command) {
  std::string usage = command.name;
  for (const OptionDescription& option : command.options) {
    if (option.names.empty()) usage += option.required ? " " + HeadOf(option) : " [" + HeadOf(option) + "]";
  }
  return usage + " [options]";
}

}  // namespace

std::string TextOf(const OptionDescription& option) {
  std::string text = option.description;
  if (option.required && !option.names.empty()) text += " [required]";
  if (!option.fallback.empty()) text += fmt::format(" [default: {}]", option.fallback);
  if (!option.environment.empty()) text += fmt::format(" [env: {}]", option.environment);
  return text;
}

std::string HelpText(const CommandDescription& command) {
  std::string text = WrappedFrom(command.summary, 0, 0) + "\n\nusage: " + WrappedFrom(UsageLine(command), 7, 7) + "\n";
  std::optional<OptionGroup> group;
  for (const OptionDescription& option : command.options) {
    const bool positional = option.names.empty();
    if (positional && &option == &command.options.front()) text += "\n";
    if (!positional && group != option.group) text += fmt::format("\n{}\n", HeadingOf(option.group));
    if (!positional) group = option.group;
    text += OptionLines(option);
  }
  return text + fmt::format("\nExample: {}\n", command.example);
}

std::string CommandTable(std::string_view program, std::string_view example, const std::vector<Command>& commands) {
  size_t width = 0;
  for (const Command& c : commands) width = std::max(width, c.name.size());
  std::string text = fmt::format("usage: {} COMMAND [options]\n", program);
  std::string_view group;
  for (const Command& c : commands) {
    if (c.hidden) continue;
    if (c.group != group) text += fmt::format("\n{}\n", c.group);
    group = c.group;
    text += fmt::format("  {:<{}}  {}\n", c.name, width, c.summary);
  }
  return text + fmt::format("\n`{} COMMAND --help` lists a command's options.\nExample: {}\n", program, example);
}

}  // namespace hone
