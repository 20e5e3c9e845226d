#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "core/error.h"
#include "core/hash/minisign.h"
#include "core/text/shell_word.h"
#include "db/packs/fetch_url.h"
#include "db/packs/pack.h"
#include "db/packs/put_url.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/text/print.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A pack that a pull would refuse is not published.
void RequireSigned(const std::string& path, const std::string& bytes) {
  ReadPack(bytes);
  if (!IsThere(path + ".minisig")) {
    throw Error(ExitCode::kNoInput,
                fmt::format("'{}' is not signed: there is no {}.minisig; hone log pack --key makes it", path, path));
  }
  SignerOf(ReadFile(path + ".minisig"));
}

[[noreturn]] void RefuseOther(const std::string& to) {
  throw Error(ExitCode::kCannotCreate, fmt::format("'{}' is another pack, and a pack never changes", to));
}

bool Holds(const std::string& path, const std::string& bytes) {
  return IsThere(path) && ReadFile(path, InputFile::Use::kOwnOutput) == bytes;
}

std::string PutInFolder(const std::string& path, const std::string& bytes, const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(ExitCode::kNoInput, fmt::format("there is no folder '{}', and it is no http(s) address", folder));
  }
  const std::string to = (fs::path(folder) / fs::path(path).filename()).string();
  const std::string signature = ReadFile(path + ".minisig");
  const bool is_there = Holds(to, bytes);
  if (IsThere(to) && !is_there) RefuseOther(to);
  // The signature is written first, so that a visible pack can always be checked.
  if (!Holds(to + ".minisig", signature)) WriteFileAtomically(to + ".minisig", signature);
  if (!is_there) WriteFileAtomically(to, bytes);
  return to;
}

// Whether the server has exactly these bytes at that address. Throws Error(kCannotCreate) if it has others.
bool IsAtUrl(const std::string& to, const std::string& bytes) {
  try {
    if (FetchUrl(to, {.most_bytes = kMostPackBytes}) == bytes) return true;
  } catch (const Error& error) {
    if (error.code() == ExitCode::kNoInput) return false;
    throw;
  }
  RefuseOther(to);
}

std::string PutAtUrl(const std::string& path, const std::string& bytes, const std::string& url) {
  const std::string to = url + (url.ends_with('/') ? "" : "/") + fs::path(path).filename().string();
  if (IsAtUrl(to, bytes)) return to;
  PutUrl(to + ".minisig", ReadFile(path + ".minisig"));
  PutUrl(to, bytes);
  return to;
}

}  // namespace

int LogPushCommand(const Arguments& arguments) {
  CommandLine line("hone log push",
                   "Puts a signed pack where others pull from: a folder, as one that a web server shows, or an "
                   "http(s) address that takes PUT.",
                   "hone log push lab.honepack /srv/packs");
  std::string path, where;
  line.Add("PACK", path, "a signed pack of `hone log pack --key`").Reads().Required();
  line.Add("FOLDER|URL", where, "where to put it, under its own name").WritesInto().Required();
  if (!line.Parse(arguments)) return 0;
  const std::string bytes = ReadFile(path);
  RequireSigned(path, bytes);
  const std::string to = IsUrl(where) ? PutAtUrl(path, bytes, where) : PutInFolder(path, bytes, where);
  if (line.json()) {
    PrintJson({{"path", to}, {"bytes", bytes.size()}});
  } else {
    Print("{} and its signature are there\n", to);
  }
  line.Next("hone log pull " + ShellWord(to));
  return 0;
}

}  // namespace hone
