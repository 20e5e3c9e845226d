#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/files/read_file.h"
#include "cli/files/write_file.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "core/minisign.h"
#include "db/packs/pack.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// What a pull would refuse is not put where people pull from.
void RequireSigned(const std::string& path, const std::string& bytes) {
  ReadPack(bytes);
  if (!IsThere(path + ".minisig")) {
    throw Error(ExitCode::kNoInput,
                fmt::format("'{}' is not signed: there is no {}.minisig; hone log pack --key makes it", path, path));
  }
  SignerOf(ReadFile(path + ".minisig"));
}

}  // namespace

int LogPushCommand(const Arguments& arguments) {
  CommandLine line("hone log push",
                   "Puts a signed pack into a folder that others pull from, as one that a web server shows.");
  std::string path, folder;
  line.Add("PACK", path, "a pack of hone log pack --key").Required();
  line.Add("FOLDER", folder, "where it goes, under its own name").Required();
  if (!line.Parse(arguments)) return 0;
  const std::string bytes = ReadFile(path);
  RequireSigned(path, bytes);
  if (!fs::is_directory(folder)) throw Error(ExitCode::kNoInput, fmt::format("there is no folder '{}'", folder));
  const std::string to = (fs::path(folder) / fs::path(path).filename()).string();
  if (IsThere(to) && ReadFile(to) != bytes) {
    throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is another pack, and a pack never changes", to));
  }
  // The signature first: a pack that is seen can be checked.
  WriteFileAtomically(to + ".minisig", ReadFile(path + ".minisig"));
  WriteFileAtomically(to, bytes);
  if (line.json()) {
    PrintJson({{"path", to}, {"bytes", bytes.size()}});
  } else {
    Print("{} and its signature are there\n", to);
  }
  line.Next("hone log pull " + ShellWord(to));
  return 0;
}

}  // namespace hone
