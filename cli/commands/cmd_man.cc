#include "cli/command_line.h"
#include "cli/man_page.h"
#include "core/version.h"
#include "lab/text/print.h"

namespace hone {
namespace {

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
