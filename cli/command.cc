#include "cli/command.h"

#include <fmt/format.h>

#include "cli/help_text.h"
#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/text/print.h"

namespace hone {

namespace {

thread_local CommandDescription* asked_for = nullptr;

}  // namespace

std::string_view HeadingOf(OptionGroup group) {
  switch (group) {
    case OptionGroup::kOptions:
      return "Options";
    case OptionGroup::kModel:
      return "Model";
    case OptionGroup::kShapes:
      return "Inputs and shapes";
    case OptionGroup::kTarget:
      return "Target and threads";
    case OptionGroup::kPrecision:
      return "Precision";
    case OptionGroup::kPasses:
      return "Passes";
    case OptionGroup::kSearch:
      return "Search";
    case OptionGroup::kSampling:
      return "Choice of tokens";
    case OptionGroup::kTiming:
      return "Timing";
    case OptionGroup::kRecords:
      return "Records";
    case OptionGroup::kRemote:
      return "Remote";
    case OptionGroup::kLimits:
      return "Limits";
    case OptionGroup::kOutput:
      return "Output";
  }
  return "";
}

CommandDescription* DescriptionAskedFor() { return asked_for; }

CommandDescription DescribeCommands(const std::string& program, const std::vector<Command>& commands) {
  CommandDescription all;
  all.name = program;
  CommandDescription* const outer = asked_for;
  for (const Command& command : commands) {
    if (command.hidden) continue;
    CommandDescription one;
    one.name = program + " " + std::string(command.name);
    one.summary = command.summary;
    one.group = command.group;
    asked_for = &one;
    command.run({});
    all.commands.push_back(std::move(one));
  }
  asked_for = outer;
  return all;
}

namespace {

// A word of other programs, and what does it here.
struct OtherWord {
  std::string_view word, way;
};
constexpr std::string_view kLists = "`hone log list` lists records, `hone zoo` networks, `hone targets` CPUs";
constexpr std::string_view kConverts = "`hone build MODEL -o P.hone` compiles a model; torch.onnx.export makes ONNX";
constexpr std::string_view kRuns = "`hone run P.hone` runs a package once, `hone bench` times it";
constexpr OtherWord kOtherWords[] = {
    {"ls", kLists},
    {"list", kLists},
    {"models", kLists},
    {"convert", kConverts},
    {"export", kConverts},
    {"import", kConverts},
    {"optimize", "`hone tune MODEL` searches for faster kernels, `hone build` makes a package of them"},
    {"optimise", "`hone tune MODEL` searches for faster kernels, `hone build` makes a package of them"},
    {"infer", kRuns},
    {"predict", kRuns},
    {"exec", kRuns},
    {"serve", "`hone dashboard` serves a page, `hone tracker` serves runners"},
    {"server", "`hone dashboard` serves a page, `hone tracker` serves runners"},
    {"status", "`hone doctor` looks at this machine, `hone devices` at a tracker's"},
    {"info", "`hone inspect MODEL` shows a model, `hone package info P.hone` a package"},
    {"show", "`hone inspect MODEL` shows a model, `hone package info P.hone` a package"},
    {"version", "`hone --version` prints it"},
    {"-v", "`hone --version` prints the version"},
    {"update", "hone is updated as it was installed, by the system's packages or pip"},
    {"upgrade", "hone is updated as it was installed, by the system's packages or pip"},
};

// "; ..." for a word of other programs, and for a file in the place of a command; empty for others.
std::string OtherWay(const std::string& given) {
  for (const OtherWord& other : kOtherWords) {
    if (other.word == given) return fmt::format("; {}", other.way);
  }
  const bool is_model = given.ends_with(".onnx") || given.ends_with(".relay") || given.starts_with("zoo:");
  if (!is_model && !given.ends_with(".hone")) return "";
  return fmt::format("; a command comes first, as `hone {} {}`", is_model ? "bench" : "run", given);
}

std::string Suggestion(const std::string& given, const std::vector<Command>& commands) {
  if (std::string way = OtherWay(given); !way.empty()) return way;
  std::vector<std::string> names;
  for (const Command& c : commands) {
    if (!c.hidden) names.emplace_back(c.name);
  }
  return DidYouMean(given, names);
}

}  // namespace

int RunNamedCommand(std::string_view program, std::string_view example, const std::vector<Command>& commands,
                    const Arguments& arguments) {
  if (CommandDescription* asked = DescriptionAskedFor()) {
    asked->example = example;
    asked->commands = DescribeCommands(asked->name, commands).commands;
    return 0;
  }
  if (arguments.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("no command given; `{} --help` lists them", program));
  }
  const std::string& name = arguments.front();
  // `hone help tune` is what `hone tune --help` is.
  if (name == "help" && arguments.size() > 1) {
    Arguments asked(arguments.begin() + 1, arguments.end());
    asked.emplace_back("--help");
    return RunNamedCommand(program, example, commands, asked);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    Print("{}", CommandTable(program, example, commands));
    return 0;
  }
  for (const Command& c : commands) {
    if (c.name == name) return c.run(Arguments(arguments.begin() + 1, arguments.end()));
  }
  throw Error(ExitCode::kUsage,
              fmt::format("no command {}{} (`{} --help` lists them)", name, Suggestion(name, commands), program));
}

}  // namespace hone
