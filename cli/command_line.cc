#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/other_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/model/model_kind.h"
#include "lab/text/print.h"

namespace hone {
namespace {

// The option's name in an argument such as "--trials=3" or "-O3".
std::string OptionName(const std::string& argument) {
  if (argument.rfind("--", 0) == 0) return argument.substr(0, argument.find('='));
  return argument.substr(0, 2);
}

bool LooksLikeOption(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return argument[1] == '-' || std::isalpha(static_cast<unsigned char>(argument[1])) != 0;
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Why the text is no integer in range, or "". CLI11 would read -1 as the greatest uint64.
std::string WhyNoInteger(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("{} is not an integer from 0 to {}", text, std::numeric_limits<uint64_t>::max());
}

// The choices in the type name that IsMember sets: "TEXT:{bash,zsh,fish}".
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> choices;
  std::istringstream parts(type.substr(begin + 1, end - begin - 1));
  for (std::string part; std::getline(parts, part, ',');) choices.push_back(part);
  return choices;
}

using FileUses = std::map<const CLI::Option*, FileUse>;

// A target such as "llvm -mcpu=znver4" is none.
bool IsNamedValue(const std::string& word) {
  const size_t equals = word.find('=');
  return equals != word.npos && word.find(' ') > equals;
}

// Whether the word looks like another value of an option with several, whose first is given. Else it is likely the
// model or package of the line.
bool IsAnotherValue(const std::string& first, const std::string& word, FileUse use) {
  if (IsNamedValue(first)) return IsNamedValue(word);
  const auto ends = [&](const char* ending) { return word.ends_with(ending); };
  if (word.starts_with("zoo:") || ends(".onnx") || ends(".relay") || ends(".hone")) return false;
  std::error_code error;
  return use != FileUse::kNone || !std::filesystem::exists(word, error);
}

// The end of a message on an unknown option: what the user may have meant. Empty if nothing comes near.
std::string OptionMeant(const CLI::App& app, const std::string& command, const std::string& example,
                        const std::string& given) {
  const auto needed = [](const CLI::Option* option) { return option->get_required(); };
  const std::vector<const CLI::Option*> options = app.get_options();
  if (given == "--list" && std::none_of(options.begin(), options.end(), needed)) {
    return fmt::format("; `{}` alone lists", command);
  }
  const bool takes_model = app.get_option_no_throw("MODEL") != nullptr || app.get_option_no_throw("PACKAGE") != nullptr;
  if (takes_model && (given == "--model" || given == "-m" || given == "--package" || given == "--onnx")) {
    return fmt::format("; it is a word without an option, as in `{}`", example);
  }
  return DidYouMeanOption(given, LongNames(app)) + CommandsWith(given);
}

FileUse UseOf(const FileUses& uses, const CLI::Option& option) {
  const auto at = uses.find(&option);
  return at == uses.end() ? FileUse::kNone : at->second;
}

OptionGroup TopicGroup(Topic topic) {
  switch (topic) {
    case Topic::kModel:
    case Topic::kPackage:
      return OptionGroup::kModel;
    case Topic::kTarget:
    case Topic::kThreads:
      return OptionGroup::kTarget;
    case Topic::kMath:
      return OptionGroup::kPrecision;
    case Topic::kStore:
    case Topic::kQuery:
      return OptionGroup::kRecords;
    case Topic::kRunners:
      return OptionGroup::kRemote;
    case Topic::kInputs:
      return OptionGroup::kShapes;
  }
  return OptionGroup::kOptions;
}

// The name of the option's value in the help text; empty for a flag.
std::string ValueOf(const CLI::Option& option, FileUse use) {
  if (!option.nonpositional()) return option.get_name(true);
  if (option.get_items_expected_max() == 0) return "";
  if (use != FileUse::kNone) return use == FileUse::kOutputFolder ? "DIR" : "FILE";
  return option.get_type_name().starts_with("TEXT") ? "VALUE" : "N";
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& summary, const std::string& example)
    : app_(std::make_unique<CLI::App>(summary, name)), name_(name), example_(example) {}

CommandLine::~CommandLine() = default;

Option CommandLine::Add(const std::string& name, std::string& value, const std::string& description) {
  return Added(app_->add_option(name, value, description));
}

Option CommandLine::Add(const std::string& name, int& value, const std::string& description) {
  return Added(app_->add_option(name, value, description));
}

Option CommandLine::Add(const std::string& name, int64_t& value, const std::string& description) {
  return Added(app_->add_option(name, value, description));
}

Option CommandLine::Add(const std::string& name, uint64_t& value, const std::string& description) {
  return Added(app_->add_option(name, value, description)->check(WhyNoInteger));
}

Option CommandLine::Add(const std::string& name, double& value, const std::string& description) {
  return Added(app_->add_option(name, value, description));
}

Option CommandLine::Add(const std::string& name, std::vector<std::string>& value, const std::string& description) {
  return Added(app_->add_option(name, value, description));
}

Option CommandLine::AddFlag(const std::string& name, bool& value, const std::string& description) {
  return Added(app_->add_flag(name, value, description));
}

void CommandLine::RejectUnknownOptions(const Arguments& arguments) const {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (!LooksLikeOption(argument)) continue;
    const std::string name = OptionName(argument);
    if (app_->get_option_no_throw(name) != nullptr) continue;
    throw Error(ExitCode::kUsage, fmt::format("no option {}{} (`{} --help` lists them)", name,
                                              OptionMeant(*app_, name_, example_, name), name_));
  }
}

Arguments CommandLine::WithListsEnded(const Arguments& arguments) const {
  const auto options = app_->get_options();
  if (std::all_of(options.begin(), options.end(), [](const auto* option) { return option->nonpositional(); })) {
    return arguments;
  }
  Arguments ended;
  const CLI::Option* list = nullptr;
  std::optional<std::string> first;
  for (const std::string& word : arguments) {
    if (word == "--") return {arguments};
    if (LooksLikeOption(word)) {
      list = app_->get_option_no_throw(OptionName(word));
      if (list != nullptr && list->get_items_expected_max() <= 1) list = nullptr;
      first.reset();
      if (const size_t equals = word.find('='); equals != word.npos) first = word.substr(equals + 1);
    } else if (list != nullptr && !first) {
      first = word;
    } else if (list != nullptr && !IsAnotherValue(*first, word, UseOf(notes_.uses, *list))) {
      ended.emplace_back("--");
      list = nullptr;
    }
    ended.push_back(word);
  }
  return ended;
}

bool CommandLine::HasUse(FileUse use) const {
  return std::any_of(notes_.uses.begin(), notes_.uses.end(), [use](const auto& of) { return of.second == use; });
}

void CommandLine::AddOwnOptions() {
  const bool writes = HasUse(FileUse::kOutput) || HasUse(FileUse::kOutputFolder);
  if (writes && HasUse(FileUse::kModel)) {
    AddFlag("--force", force_, "let an output replace the model that is read").In(OptionGroup::kOutput);
  }
  AddFlag("--json", json_, "print one JSON document on stdout and nothing else").In(OptionGroup::kOutput);
  Added(app_->set_help_flag("-h,--help", "show this text")).In(OptionGroup::kOutput);
}

OptionGroup CommandLine::GroupOf(const CLI::Option& option) const {
  for (const std::string& name : first_) {
    if (app_->get_option(name) == &option) return OptionGroup::kOptions;
  }
  if (const auto group = notes_.groups.find(&option); group != notes_.groups.end()) return group->second;
  if (const auto topic = notes_.topics.find(&option); topic != notes_.topics.end()) return TopicGroup(topic->second);
  const FileUse use = UseOf(notes_.uses, option);
  return use == FileUse::kOutput || use == FileUse::kOutputFolder ? OptionGroup::kOutput : OptionGroup::kOptions;
}

OptionDescription CommandLine::DescriptionOf(const CLI::Option& option) const {
  OptionDescription one;
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  if (const auto former = notes_.former_names.find(&option); former != notes_.former_names.end()) {
    std::erase(one.names, former->second);
  }
  one.use = UseOf(notes_.uses, option);
  one.value = ValueOf(option, one.use);
  one.choices = ChoicesOf(option);
  one.description = option.get_description();
  const auto fallback = notes_.fallbacks.find(&option);
  one.fallback = fallback == notes_.fallbacks.end() ? option.get_default_str() : fallback->second;
  one.environment = option.get_envname();
  one.group = GroupOf(option);
  one.required = option.get_required();
  one.repeats = option.get_items_expected_max() > 1;
  return one;
}

void CommandLine::Describe(CommandDescription& description) const {
  description.name = name_;
  description.example = example_;
  std::vector<const CLI::Option*> options = std::as_const(*app_).get_options();
  // The first ones in their order, before the others in theirs.
  const auto rank = [this](const CLI::Option* option) {
    const auto same = [&](const std::string& name) { return app_->get_option(name) == option; };
    return std::find_if(first_.begin(), first_.end(), same) - first_.begin();
  };
  std::stable_sort(options.begin(), options.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
  for (const CLI::Option* option : options) description.options.push_back(DescriptionOf(*option));
  std::stable_sort(description.options.begin(), description.options.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.names.empty(), a.group) < std::pair(!b.names.empty(), b.group);
  });
}

std::string CommandLine::Help() const {
  CommandDescription description;
  Describe(description);
  description.summary = app_->get_description();
  return HelpText(description);
}

void CommandLine::RejectEmptyValues() const {
  for (const CLI::Option* option : app_->get_options()) {
    if (!option->nonpositional() || !IsOnTheLine(*option) || std::ranges::count(option->results(), "") == 0) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{} is given an empty value, as of a variable that is not set", option->get_name()));
  }
}

void CommandLine::GuardFiles() const {
  OutputGuard& guard = OutputGuard::Own();
  if (force_) guard.LetReplaceModels();
  std::vector<std::string> outputs;
  for (const CLI::Option* option : app_->get_options()) {
    const FileUse use = UseOf(notes_.uses, *option);
    for (const std::string& value : option->results()) {
      if (use == FileUse::kOutput) outputs.push_back(value);
      if (use == FileUse::kModel || use == FileUse::kInput) RefuseOtherKinds(value);
      const auto topic = notes_.topics.find(option);
      if (topic != notes_.topics.end() && topic->second == Topic::kPackage) RequirePackageFile(value);
      if (use == FileUse::kModel) guard.AddInput(value, OutputGuard::Use::kModel);
      if (use != FileUse::kInput) continue;
      guard.AddInput(value);
      if (const size_t equals = value.find('='); equals != value.npos) guard.AddInput(value.substr(equals + 1));
    }
  }
  for (const std::string& path : outputs) guard.AddOutput(path);
}

bool CommandLine::Parse(const Arguments& arguments) {
  AddOwnOptions();
  if (CommandDescription* asked = DescriptionAskedFor()) {
    Describe(*asked);
    return false;
  }
  RejectUnknownOptions(arguments);
  arguments_ = arguments;
  Arguments reversed = WithListsEnded(arguments);
  // CLI11 expects the arguments in reverse order.
  std::ranges::reverse(reversed);
  try {
    app_->parse(reversed);
  } catch (const CLI::CallForHelp&) {
    Print("{}", Help());
    return false;
  } catch (const CLI::RequiredError& e) {
    throw Error(ExitCode::kUsage, fmt::format("{}, as in `{}` (see `{} --help`)", OneLine(e.what()), example_, name_));
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extra = app_->remaining();
    throw Error(ExitCode::kUsage,
                fmt::format("{} {} too much; right is a line as `{}` (see `{} --help`)", fmt::join(extra, " "),
                            extra.size() == 1 ? "is" : "are", example_, name_));
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string said = OneLine(e.what());
    const std::string option = said.substr(0, said.find(':'));
    if (said.find("At Most 1 required") != said.npos) {
      throw Error(ExitCode::kUsage, fmt::format("{} is given more than once (see `{} --help`)", option, name_));
    }
    throw Error(ExitCode::kUsage,
                fmt::format("{} needs a value, as in `{}` (see `{} --help`)", option, example_, name_));
  } catch (const CLI::ParseError& e) {
    throw Error(ExitCode::kUsage, fmt::format("{} (see `{} --help`)", OneLine(e.what()), name_));
  }
  RejectEmptyValues();
  GuardFiles();
  return true;
}

bool CommandLine::IsOnTheLine(const CLI::Option& option) const {
  if (option.count() == 0) return false;
  // CLI11 also counts an option whose value came from its environment variable.
  return option.get_envname().empty() || std::any_of(arguments_.begin(), arguments_.end(), [&](const std::string& a) {
           return LooksLikeOption(a) && app_->get_option_no_throw(OptionName(a)) == &option;
         });
}

std::vector<std::string> CommandLine::Words(const CLI::Option& option) const {
  const std::string name = option.nonpositional() ? option.get_name() : "";
  const auto resolved = resolved_.find(name);
  if (resolved != resolved_.end()) return {name, resolved->second};
  if (!IsOnTheLine(option)) return {};
  if (option.get_items_expected_max() == 0) return {name};
  std::vector<std::string> words;
  for (const std::string& value : option.results()) {
    if (!name.empty()) words.push_back(name);
    words.push_back(value);
  }
  return words;
}

std::string CommandLine::Given(const std::set<Topic>& topics) const {
  std::string positionals, options;
  for (const CLI::Option* option : app_->get_options()) {
    const auto topic = notes_.topics.find(option);
    if (topic == notes_.topics.end() || !topics.contains(topic->second)) continue;
    for (const std::string& word : Words(*option))
      (option->nonpositional() ? options : positionals) += " " + ShellWord(word);
  }
  return positionals + options;
}

std::string CommandLine::Again() const { return name_ + " " + ShellLine(arguments_); }

void CommandLine::Next(const std::string& command) const {
  if (json_) return;
  // The output before it is on stdout, which is slower unless it is a terminal.
  FlushStdout();
  Note("next: {}\n", command);
}

}  // namespace hone
