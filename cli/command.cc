#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

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
constexpr std::string_view kTunes =
    "`hone tune MODEL` searches for faster kernels, `hone build` makes a package of them";
constexpr std::string_view kRuns = "`hone run P.hone` runs a package once, `hone bench` times it";
constexpr OtherWord kOtherWords[] = {
    {"ls", kLists},
    {"list", kLists},
    {"models", kLists},
    {"convert", kConverts},
    {"export", kConverts},
    {"import", kConverts},
    {"optimize", kTunes},
    {"optimise", kTunes},
    {"tuning", kTunes},
    {"train", kTunes},
    {"search", kTunes},
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

// Words of other programs below a command of several: "log show".
constexpr std::string_view kShowsRecord = "`hone explain RECORD` shows a record, `hone log list` lists them";
constexpr std::string_view kShowsPackage = "`hone package info P.hone` shows a package";
constexpr std::string_view kRemoves = "`hone log prune` removes records";
constexpr std::string_view kChecksRuntime = "`hone runtime check RUNTIME` tests one";
constexpr std::string_view kAddsRuntime =
    "`hone bench MODEL --runtime hone,./adapter.py` takes any adapter, and names what to install for the others";
constexpr std::string_view kTimesRuntime = "`hone bench MODEL --runtime hone,onnxruntime` times runtimes in turns";
constexpr OtherWord kOtherWordsBelow[] = {
    {"log show", kShowsRecord},
    {"log get", kShowsRecord},
    {"log info", "`hone log stats` says what the store holds"},
    {"log ls", "`hone log list` lists records"},
    {"log rm", kRemoves},
    {"log remove", kRemoves},
    {"log delete", kRemoves},
    {"log clean", kRemoves},
    {"log merge", "`hone log sync A B` joins two stores, `hone log import` takes logs"},
    {"log restore", "`hone log recover` saves what a damaged store holds; a backup is a store that --db names"},
    {"runtime ls", "`hone runtime list` lists the runtimes"},
    {"runtime test", kChecksRuntime},
    {"runtime verify", kChecksRuntime},
    {"runtime add", kAddsRuntime},
    {"runtime install", kAddsRuntime},
    {"runtime register", kAddsRuntime},
    {"runtime run", kTimesRuntime},
    {"runtime bench", kTimesRuntime},
    {"runtime compare", kTimesRuntime},
    {"package list", kShowsPackage},
    {"package ls", kShowsPackage},
    {"package show", kShowsPackage},
    {"package inspect", kShowsPackage},
    {"package extract", "`hone package unpack P.hone -o DIR` takes a package apart"},
    {"package merge", "`hone package join P.hone Q.hone -o R.hone` joins packages"},
    {"package create", "`hone build MODEL -o P.hone` makes a package"},
    {"package build", "`hone build MODEL -o P.hone` makes a package"},
    {"package verify", "`hone verify MODEL P.hone` compares a package with its model"},
    {"key generate", "`hone key new` makes a key"},
    {"key gen", "`hone key new` makes a key"},
    {"key create", "`hone key new` makes a key"},
    {"key add", "`hone key allow KEY --name NAME` admits a key"},
    {"key remove", "`hone key revoke WHICH` removes a key"},
    {"key rm", "`hone key revoke WHICH` removes a key"},
    {"key delete", "`hone key revoke WHICH` removes a key"},
    {"key show", "`hone key list` shows the keys that a tracker admits"},
};

// "; ..." for a word of other programs, and for a file in the place of a command; empty for others.
std::string OtherWay(std::string_view program, const std::string& given) {
  const bool is_below = program != "hone";
  const std::string word = is_below ? fmt::format("{} {}", program.substr(program.find(' ') + 1), given) : given;
  const auto find = [&word](const auto& words) {
    const auto at = std::ranges::find(words, word, &OtherWord::word);
    return at == std::end(words) ? "" : fmt::format("; {}", at->way);
  };
  if (std::string way = is_below ? find(kOtherWordsBelow) : find(kOtherWords); !way.empty()) return way;
  const bool is_model = given.ends_with(".onnx") || given.ends_with(".relay") || given.starts_with("zoo:");
  if (!is_model && !given.ends_with(".hone")) return "";
  return fmt::format("; a command comes first, as `hone {} {}`", is_model ? "bench" : "run", given);
}

std::string Suggestion(std::string_view program, const std::string& given, const std::vector<Command>& commands) {
  if (std::string way = OtherWay(program, given); !way.empty()) return way;
  std::vector<std::string> names;
  for (const Command& c : commands) {
    if (!c.hidden) names.emplace_back(c.name);
  }
  if (std::string meant = DidYouMean(given, names); !meant.empty() || program == "hone") return meant;
  return fmt::format("; it has {}", fmt::join(names, ", "));
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
  throw Error(ExitCode::kUsage, fmt::format("no command {}{} (`{} --help` lists them)", name,
                                            Suggestion(program, name, commands), program));
}

}  // namespace hone
