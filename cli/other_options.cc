#include "cli/other_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

// A word of other programs, and hone's option of that meaning.
struct OtherOption {
  std::string_view word, own;
};
constexpr OtherOption kOtherOptions[] = {
    {"--time", "--budget"},     {"--timeout", "--budget"},    {"--duration", "--budget"},     {"-n", "--trials"},
    {"--iterations", "--runs"}, {"--n-trials", "--trials"},   {"--out", "--output"},          {"--device", "--target"},
    {"--mcpu", "--target"},     {"--input-shape", "--shape"}, {"--fp16", "--weights"},        {"--int8", "--precision"},
    {"--port", "--bind"},       {"--host", "--bind"},         {"--opt", "--opt-level"},       {"-n", "--runs"},
    {"--repeat", "--runs"},     {"--jobs", "--threads"},      {"--num-threads", "--threads"}, {"-j", "--threads"},
    {"--layers", "--tasks"},    {"--workers", "--threads"},   {"--max-new-tokens", "--new"},  {"--max-tokens", "--new"},
    {"--n-predict", "--new"},   {"--compare", "--against"},   {"--vs", "--against"}};

// A word of other programs that no option of hone means, what does it, and an option by which the command is known.
struct OtherAim {
  std::string_view word, own, way;
};
constexpr OtherAim kOtherAims[] = {
    {"--resume", "--budget", "the same command, run again, goes on"},
    {"--continue", "--budget", "the same command, run again, goes on"},
    {"--dry-run", "--budget", "`hone inspect MODEL --tasks` lists what would be tuned"},
    {"--dry-run", "--dump-passes", "`hone inspect MODEL --tasks` lists the layers that a build looks up"},
    {"--dry-run", "--keep", "`hone log list` shows what the store holds, and a copy of the file keeps it"},
    {"--prompt", "--ids", "--ids takes what the model's tokenizer makes of a text, as 5,17,3"},
    {"--text", "--ids", "--ids takes what the model's tokenizer makes of a text, as 5,17,3"},
    {"--warmup", "--min-time", "it warms up by itself, until times are steady"},
};

}  // namespace

std::string DidYouMeanOption(const std::string& given, const std::vector<std::string>& names) {
  const auto means = [&](const auto& other) {
    return other.word == given && std::ranges::find(names, other.own) != names.end();
  };
  for (const OtherAim& other : kOtherAims) {
    if (means(other)) return "; " + std::string(other.way);
  }
  for (const OtherOption& other : kOtherOptions) {
    if (means(other)) return "; did you mean " + std::string(other.own) + "?";
  }
  return DidYouMean(given, names);
}

std::string CommandsWith(const std::string& option) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> names;
  std::vector<CommandDescription> open = DescribeCommands("hone", AllCommands()).commands;
  while (!open.empty()) {
    const CommandDescription command = std::move(open.back());
    open.pop_back();
    open.insert(open.end(), command.commands.begin(), command.commands.end());
    const auto has = [&](const OptionDescription& one) { return std::ranges::count(one.names, option) > 0; };
    if (std::ranges::any_of(command.options, has)) names.push_back("`" + command.name + "`");
  }
  if (names.empty()) return "";
  // `hone build` comes first, because a package has what it was built with.
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name != "`hone build`", name); });
  const size_t others = names.size() > kMostNamed + 1 ? names.size() - kMostNamed : 0;
  if (others > 0) names.resize(kMostNamed);
  if (others > 0) names.push_back(fmt::format("{} others", others));
  return fmt::format("; {} {} it", fmt::join(names, ", "), names.size() == 1 ? "has" : "have");
}

}  // namespace hone
