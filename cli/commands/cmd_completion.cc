// `hone completion`: shell completion of the command line.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/command_line.h"
#include "core/error.h"
#include "lab/text/print.h"

namespace hone {
namespace {

// The words that may follow a command's name: its commands, its options and their choices.
std::string WordsOf(const CommandDescription& command) {
  std::string words;
  for (const CommandDescription& sub : command.commands) words += sub.name.substr(sub.name.rfind(' ') + 1) + " ";
  for (const OptionDescription& option : command.options) {
    for (const std::string& name : option.names) words += name + " ";
    if (!option.names.empty()) continue;
    for (const std::string& choice : option.choices) words += choice + " ";
  }
  if (!words.empty()) words.pop_back();
  return words;
}

std::string Joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Text between single quotes, as all three shells read it.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Adds cases that select a command's words, and an option's values, by the command's name.
void AddBashCases(const CommandDescription& command, std::string& words, std::string& values) {
  words += fmt::format("    {}) words={} ;;\n", Quoted(command.name), Quoted(WordsOf(command)));
  for (const OptionDescription& option : command.options) {
    if (option.choices.empty()) continue;
    for (const std::string& name : option.names)
      values += fmt::format("    {}) words={} ;;\n", Quoted(command.name + " " + name), Quoted(Joined(option.choices)));
  }
  for (const CommandDescription& sub : command.commands) AddBashCases(sub, words, values);
}

// The names of all commands that have sub-commands.
std::string Groups(const CommandDescription& command) {
  if (command.commands.empty()) return "";
  std::string groups = (command.name.find(' ') == std::string::npos ? "" : "|") + Quoted(command.name);
  for (const CommandDescription& sub : command.commands) groups += Groups(sub);
  return groups;
}

// One shell function in the syntax that bash and zsh share.
std::string Bash(const CommandDescription& program) {
  std::string words, values;
  AddBashCases(program, words, values);
  return fmt::format(R"(_hone() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=hone words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case $command in
    {}) [[ ${{COMP_WORDS[i]}} != -* ]] && command="$command ${{COMP_WORDS[i]}}" ;;
    *) break ;;
    esac
  done
  case "$command $before" in
{}  esac
  if [[ -z $words && ( $word == -* || $COMP_CWORD -eq $(set -- $command; echo $#) ) ]]; then
    case $command in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ ${{#COMPREPLY[@]}} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _hone hone
)",
                     Groups(program), values, words);
}

// The choices of an option or a positional. The tab gives each choice an empty description; without it fish would show
// the option's description.
std::string FishChoices(const OptionDescription& option) {
  if (option.choices.empty()) return "";
  std::string values;
  for (const std::string& choice : option.choices) values += (values.empty() ? "" : " ") + choice + "\\t";
  return " -f -a " + Quoted(values);
}

std::string FishOption(const OptionDescription& option, const std::string& condition) {
  if (option.names.empty() && option.choices.empty()) return "";
  std::string line = "complete -c hone -n " + Quoted(condition);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.names.empty() && !option.value.empty()) line += " -r";
  return line + FishChoices(option) + " -d " + Quoted(option.description) + "\n";
}

// Adds a line for each option and command, which fish offers on the condition that the command was typed.
void AddFish(const CommandDescription& command, const std::string& condition, std::string& script) {
  for (const CommandDescription& sub : command.commands) {
    const std::string name = sub.name.substr(sub.name.rfind(' ') + 1);
    std::string others;
    for (const CommandDescription& other : command.commands)
      others += " " + other.name.substr(other.name.rfind(' ') + 1);
    script +=
        fmt::format("complete -c hone -n {} -a {} -d {}\n",
                    Quoted(condition + "; and not __fish_seen_subcommand_from" + others), name, Quoted(sub.summary));
    AddFish(sub, condition + "; and __fish_seen_subcommand_from " + name, script);
  }
  for (const OptionDescription& option : command.options) script += FishOption(option, condition);
}

// zsh runs bash's completions. The last line is for a shell's first Tab, when zsh runs the file as the function itself
// and expects its answer.
std::string Zsh(const CommandDescription& program) {
  return "#compdef hone\nautoload -U +X bashcompinit && bashcompinit\n" + Bash(program) +
         "[[ $funcstack[1] != _hone ]] || _bash_complete -o filenames -F _hone\n";
}

// The completion script for "bash", "zsh" or "fish". Words are commands, options and options' choices; anything else is
// completed as a file. Throws Error(kUsage) for another shell.
std::string CompletionScript(const CommandDescription& program, std::string_view shell) {
  if (shell == "bash") return Bash(program);
  if (shell == "zsh") return Zsh(program);
  if (shell == "fish") {
    std::string script;
    AddFish(program, "true", script);
    return script;
  }
  throw Error(ExitCode::kUsage, fmt::format("no completion for {}; bash, zsh and fish are right", shell));
}

}  // namespace

int CompletionCommand(const Arguments& arguments) {
  CommandLine line("hone completion", "Prints what a shell needs to complete commands and options.",
                   "source <(hone completion bash)");
  std::string shell;
  line.Add("SHELL", shell, "the shell to complete for").Required().OneOf({"bash", "zsh", "fish"});
  if (!line.Parse(arguments)) return 0;
  Print("{}", CompletionScript(DescribeCommands("hone", AllCommands()), shell));
  return 0;
}

}  // namespace hone
