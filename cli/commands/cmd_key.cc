// `hone key`: the keys of people, runners and trackers.
#include <fmt/format.h>
#include <time.h>

#include <filesystem>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {

int KeyNewCommand(const Arguments& arguments) {
  CommandLine line("hone key new", "Makes a key for this user, or with --server a tracker's key folder.",
                   "hone key new");
  line.First({"--identity", "--name", "--server", "--keys"});
  bool server = false;
  std::string identity, folder, name = "hone";
  line.AddFlag("--server", server, "make a tracker's key folder with an empty list");
  AddKeyFolderOption(line, folder);
  line.Add("--identity", identity, "file for the secret key; FILE.pub gets the public one")
      .Writes()
      .Env("HONE_IDENTITY");
  line.Add("--name", name, "comment beside the public key").ShowDefault();
  if (!line.Parse(arguments)) return 0;
  const KeyFolder tracker(KeyFolderPath(folder));
  const std::string path = server ? tracker.secret() : identity.empty() ? DefaultIdentityPath() : identity;
  if (server) {
    MakeTrackerFolder(tracker);
  } else {
    WriteIdentity(path, NewKeyPair(), name);
  }
  const std::string key = ReadIdentity(path).public_key;
  if (line.json()) {
    PrintJson({{"secret_file", path}, {"key", key}, {"fingerprint", KeyFingerprint(key)}});
  } else {
    Print("secret key: {}\npublic key: {}\nfingerprint: {}\n", path, key, KeyFingerprint(key));
  }
  line.Next(server ? "hone key enroll --name NAME --role runner" + KeyFolderWords(folder)
                   : fmt::format("hone key allow {} --name NAME --role tuner", ShellWord(key)));
  return 0;
}

int KeyAllowCommand(const Arguments& arguments) {
  CommandLine line("hone key allow", "Lets a key in at this machine's tracker, also while that runs.",
                   "hone key allow ann.pub --name ann");
  std::string key, folder, roles = "tuner", name, expires;
  line.Add("KEY", key, "a public key, or a file NAME.pub with one").Reads().Required();
  line.Add("--name", name, "who owns it, for lists and the audit").Required();
  line.Add("--role", roles, "viewer, tuner, runner or admin; several with commas").ShowDefault();
  line.Add("--expires", expires, "end of admission in UTC, as 2027-01-31 or 2027-01-31T12:00:00Z");
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  RequireKeyName(name);
  const AuthorizedKey entry{ReadPublicKey(key), RolesOf(roles), name, ExpiryOf(expires)};
  const KeyFolder tracker(KeyFolderPath(folder));
  Authorize(tracker, entry);
  if (line.json()) {
    PrintJson({{"list", tracker.list()}, {"key", entry.key}, {"name", name}, {"roles", RolesText(entry.roles)}});
  } else {
    Print("{} may come as {}: {}\n", name, RolesText(entry.roles), KeyFingerprint(entry.key));
  }
  line.Next("hone key list" + KeyFolderWords(folder));
  return 0;
}

int KeyRevokeCommand(const Arguments& arguments) {
  CommandLine line("hone key revoke", "Takes keys out of a tracker's list; a running tracker closes their connections.",
                   "hone key revoke ann");
  std::string which, folder;
  line.Add("WHICH", which, "name, key, a key's first 8 or more characters, or fingerprint").Required();
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  const KeyFolder tracker(KeyFolderPath(folder));
  const std::vector<AuthorizedKey> out = Revoke(tracker, which);
  if (out.empty()) {
    throw Error(ExitCode::kNoInput,
                fmt::format("{} has no key of {}; hone key list shows them", tracker.list(), which));
  }
  Json revoked = Json::array();
  for (const AuthorizedKey& key : out) {
    revoked.push_back({{"name", key.name}, {"key", key.key}, {"roles", RolesText(key.roles)}});
    if (!line.json()) Print("{} is out: {}\n", key.name, KeyFingerprint(key.key));
  }
  if (line.json()) PrintJson({{"list", tracker.list()}, {"revoked", revoked}});
  line.Next("hone key list" + KeyFolderWords(folder));
  return 0;
}

namespace {

struct KeyBook {
  std::string path, server_key;
  AuthorizedList list;
  std::vector<Enrolment> open;
  int64_t now_s = 0;
};

std::string StateOf(const AuthorizedKey& key, int64_t now_s) {
  if (key.expires_s == 0) return "admitted";
  return fmt::format("{} {}", now_s >= key.expires_s ? "expired" : "until", UtcTimeText(key.expires_s));
}

Json ToJson(const KeyBook& book) {
  Json keys = Json::array(), open = Json::array(), damaged = Json::array();
  for (const AuthorizedKey& k : book.list.keys) {
    keys.push_back({{"name", k.name},
                    {"roles", RolesText(k.roles)},
                    {"key", k.key},
                    {"fingerprint", KeyFingerprint(k.key)},
                    {"expires", k.expires_s == 0 ? Json() : Json(UtcTimeText(k.expires_s))},
                    {"expired", k.expires_s != 0 && book.now_s >= k.expires_s}});
  }
  for (const Enrolment& e : book.open) {
    if (e.taken_by.empty())
      open.push_back({{"name", e.name}, {"roles", RolesText(e.roles)}, {"until", UtcTimeText(e.until_s)}});
  }
  for (const AuthorizedList::Fault& f : book.list.faults) damaged.push_back({{"line", f.line}, {"why", f.why}});
  return {{"folder", book.path},
          {"server_key", book.server_key},
          {"server_fingerprint", KeyFingerprint(book.server_key)},
          {"keys", keys},
          {"open_codes", open},
          {"damaged_lines", damaged}};
}

void PrintBook(const KeyBook& book) {
  Table table({"name", "roles", "state", "key", "fingerprint"});
  for (const AuthorizedKey& k : book.list.keys)
    table.Add({k.name, RolesText(k.roles), StateOf(k, book.now_s), KeyPrefix(k.key) + "...", KeyFingerprint(k.key)});
  for (const Enrolment& e : book.open) {
    if (e.taken_by.empty()) table.Add({e.name, RolesText(e.roles), "code until " + UtcTimeText(e.until_s), "", ""});
  }
  Print("tracker's own key: {} ({})\n", book.server_key, KeyFingerprint(book.server_key));
  Print("{}", table.empty() ? "no key is admitted yet\n" : table.ToText());
  for (const AuthorizedList::Fault& f : book.list.faults) Note("line {} admits no client: {}\n", f.line, f.why);
}

}  // namespace

int KeyListCommand(const Arguments& arguments) {
  CommandLine line("hone key list", "Whom this machine's tracker admits: name, roles, expiry, fingerprint; open codes.",
                   "hone key list");
  std::string folder;
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  const KeyFolder tracker(KeyFolderPath(folder));
  KeyBook book;
  book.path = tracker.path();
  book.now_s = time(nullptr);
  book.server_key = ReadIdentity(tracker.secret()).public_key;
  book.list = ReadAuthorizedList(tracker);
  book.open = ReadEnrolments(tracker, book.now_s);
  if (line.json()) {
    PrintJson(ToJson(book));
  } else {
    PrintBook(book);
  }
  line.Next("hone key enroll --name NAME --role runner" + KeyFolderWords(folder));
  return 0;
}

int KeyEnrollCommand(const Arguments& arguments) {
  CommandLine line("hone key enroll",
                   "Prints a one-time code with which a machine brings its key to this one's tracker.",
                   "hone key enroll --name pi4-left");
  std::string folder, roles = "runner", name, expires;
  line.Add("--name", name, "name for the machine or person").Required();
  line.Add("--role", roles, "viewer, tuner, runner or admin; several with commas").ShowDefault();
  line.Add("--expires", expires, "end of the key's admission, as 2027-01-31 or 2027-01-31T12:00:00Z");
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  RequireKeyName(name);
  const KeyFolder tracker(KeyFolderPath(folder));
  const int64_t now_s = time(nullptr);
  const int64_t until_s = now_s + kEnrolmentS;
  EnrolmentCode made;
  const std::string code = MakeEnrolmentCode(ReadIdentity(tracker.secret()).public_key, &made);
  AddEnrolment(tracker, {made.once.public_key, RolesOf(roles), name, until_s, ExpiryOf(expires), ""}, now_s);
  if (line.json()) {
    PrintJson({{"code", code}, {"name", name}, {"roles", roles}, {"until", UtcTimeText(until_s)}});
  } else {
    Print("{}\n", code);
    Note("it works once and until {}; the first to use it becomes {}\n", UtcTimeText(until_s), name);
  }
  const bool is_runner = RolesOf(roles) == static_cast<uint8_t>(Role::kRunner);
  line.Next(is_runner ? "hone-runner --tracker ADDRESS --enroll " + code
                      : "hone key join " + code + " --tracker ADDRESS");
  return 0;
}

int KeyJoinCommand(const Arguments& arguments) {
  CommandLine line("hone key join",
                   "Brings this user's key to a tracker under a code of `hone key enroll`, and learns its key.",
                   "hone key join CODE --tracker tcp://tracker:9190");
  line.First({"--tracker", "--identity"});
  std::string code, tracker;
  ClientKeys keys;
  line.Add("CODE", code, "what `hone key enroll` printed on the tracker's machine").Required();
  line.Add("--tracker", tracker, "tracker, tcp://HOST:PORT").Required().Env("HONE_TRACKER").About(Topic::kRunners);
  line.Add("--identity", keys.identity, "file with your secret key; made if missing")
      .Reads()
      .Env("HONE_IDENTITY")
      .About(Topic::kRunners);
  if (!line.Parse(arguments)) return 0;
  const Enrolled enrolled = EnrolAt(tracker, code, keys);
  if (line.json()) {
    PrintJson({{"name", enrolled.name},
               {"roles", enrolled.roles},
               {"identity", enrolled.identity},
               {"fingerprint", KeyFingerprint(enrolled.public_key)}});
  } else {
    Print("{} may come as {}; the key is {}\n", enrolled.name, enrolled.roles, enrolled.identity);
  }
  line.Next("hone devices" + line.Given({Topic::kRunners}));
  return 0;
}

int KeyCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"new", "makes a key for you or for a tracker", KeyNewCommand},
      {"allow", "admits a key to this machine's tracker", KeyAllowCommand},
      {"revoke", "removes keys from a tracker's list", KeyRevokeCommand},
      {"list", "lists the keys that this machine's tracker admits", KeyListCommand},
      {"enroll", "prints a one-time code for a new machine", KeyEnrollCommand},
      {"join", "registers your key at a tracker with such a code", KeyJoinCommand},
  };
  return RunNamedCommand("hone key", "hone key enroll --name pi4-left", commands, arguments);
}

}  // namespace hone
