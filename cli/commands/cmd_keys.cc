#include <fmt/format.h>
#include <time.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/identity.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {
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
  Print("{}", table.empty() ? "nobody is admitted yet\n" : table.ToText());
  for (const AuthorizedList::Fault& f : book.list.faults) Note("line {} admits nobody: {}\n", f.line, f.why);
}

}  // namespace

int KeysCommand(const Arguments& arguments) {
  CommandLine line("hone keys", "Whom this machine's tracker admits: name, roles, expiry, fingerprint; open codes.",
                   "hone keys");
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
  line.Next("hone enroll --name NAME --role runner" + KeyFolderWords(folder));
  return 0;
}

}  // namespace hone
