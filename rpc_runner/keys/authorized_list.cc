#include "rpc_runner/keys/authorized_list.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 4> kRoles = {
    {{"viewer", Role::kViewer}, {"tuner", Role::kTuner}, {"runner", Role::kRunner}, {"admin", Role::kAdmin}}};
constexpr std::string_view kExpires = "expires=";

// Returns what is wrong with the line, or "".
std::string ReadLine(std::string_view line, AuthorizedKey* key) {
  const std::vector<std::string_view> words = Words(line);
  if (words.size() < 3) return "KEY ROLES NAME [expires=DATE] is right";
  if (!IsKey(words[0])) return "its key is not 40 characters of Z85";
  const std::optional<uint8_t> roles = ParseRoles(words[1]);
  if (!roles) return "its roles are not of viewer, tuner, runner, admin, with commas between";
  if (!IsKeyName(words[2])) return "its name is not 1 to 64 letters, digits and . _ - @";
  *key = {std::string(words[0]), *roles, std::string(words[2]), 0};
  if (words.size() == 3) return "";
  if (words.size() > 4 || !words[3].starts_with(kExpires)) return "after the name only expires=DATE may come";
  const std::optional<int64_t> moment = ParseUtcTime(words[3].substr(kExpires.size()));
  if (!moment) return "its date is not as 2027-01-31 or 2027-01-31T12:00:00Z";
  key->expires_s = *moment;
  return "";
}

std::optional<int> Digits(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  const std::optional<int64_t> value = ParseInteger(text);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

constexpr size_t kLeastPrefix = 8;
constexpr const char* kHeading =
    "# KEY ROLES NAME [expires=DATE]: whom this tracker admits. ROLES: viewer, tuner, runner with commas between.\n"
    "# A running tracker reads this file again within a second.\n";

std::string ReadList(const KeyFolder& folder) {
  return ReadKeyFile(folder.list(), Secrecy::kProtected, "the list of keys");
}

// The key on a line of the list; empty if the line has none.
std::string KeyOf(std::string_view line) {
  const AuthorizedList one = ParseAuthorizedList(line);
  return one.keys.empty() ? "" : one.keys[0].key;
}

// The text without the lines of these keys, ending with a line end.
std::string Without(const std::string& text, const std::vector<AuthorizedKey>& keys) {
  std::string rest;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string key = KeyOf(line);
    const bool out = !key.empty() && std::any_of(keys.begin(), keys.end(), [&](const auto& k) { return k.key == key; });
    if (!out) rest += fmt::format("{}\n", line);
  }
  while (rest.ends_with("\n\n")) rest.pop_back();
  return rest == "\n" ? "" : rest;
}

bool IsMeantKey(const AuthorizedKey& key, const std::string& which) {
  return key.name == which || key.key == which || KeyFingerprint(key.key) == which ||
         (which.size() >= kLeastPrefix && key.key.starts_with(which));
}

}  // namespace

AuthorizedList ParseAuthorizedList(std::string_view text) {
  AuthorizedList list;
  std::set<std::string> seen;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) continue;
    line.remove_prefix(begin);
    // A key may also begin with "#".
    if (line == "#" || line.starts_with("# ")) continue;
    AuthorizedKey key;
    std::string why = ReadLine(line, &key);
    if (why.empty() && !seen.insert(key.key).second) why = "an earlier line has this key";
    if (why.empty()) {
      list.keys.push_back(std::move(key));
    } else {
      list.faults.push_back({number, std::move(why)});
    }
  }
  return list;
}

std::string ToLine(const AuthorizedKey& key) {
  const std::string expires = key.expires_s == 0 ? "" : fmt::format(" {}{}", kExpires, UtcTimeText(key.expires_s));
  return fmt::format("{} {} {}{}", key.key, RolesText(key.roles), key.name, expires);
}

std::string RolesText(uint8_t roles) {
  std::string text;
  for (const auto& [name, role] : kRoles) {
    if ((roles & static_cast<uint8_t>(role)) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", name);
  }
  return text;
}

std::optional<uint8_t> ParseRoles(std::string_view text) {
  uint8_t roles = 0;
  for (const std::string_view word : Split(text, ',')) {
    const auto it = std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& role) { return role.first == word; });
    if (it == kRoles.end() || (roles & static_cast<uint8_t>(it->second)) != 0) return std::nullopt;
    roles = static_cast<uint8_t>(roles | static_cast<uint8_t>(it->second));
  }
  return roles;
}

bool IsKeyName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '@';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

std::optional<int64_t> ParseUtcTime(std::string_view text) {
  if (text.size() != 10 && text.size() != 20) return std::nullopt;
  static constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  std::array<int, 6> fields{};
  size_t field = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(kForm.find_first_not_of('d', at), text.size());
    const std::optional<int> value = Digits(text.substr(at, end - at));
    if (!value || (end < text.size() && text[end] != kForm[end])) return std::nullopt;
    fields[field++] = *value;
    at = end + 1;
  }
  tm parts{};
  parts.tm_year = fields[0] - 1900;
  parts.tm_mon = fields[1] - 1;
  parts.tm_mday = fields[2];
  parts.tm_hour = fields[3];
  parts.tm_min = fields[4];
  parts.tm_sec = fields[5];
  const int64_t s = timegm(&parts);
  // timegm accepts the thirteenth month as a January. Writing the date back detects such input.
  const std::string whole = UtcTimeText(s);
  const bool same = text.size() == 20 ? whole == text : whole == std::string(text) + "T00:00:00Z";
  return same && s > 0 ? std::optional<int64_t>(s) : std::nullopt;
}

std::string UtcTimeText(int64_t s) {
  const time_t time = s;
  tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

KeyPair MakeTrackerFolder(const KeyFolder& folder) {
  MakeKeyFolder(folder.path());
  const KeyPair keys = NewKeyPair();
  WriteIdentity(folder.secret(), keys, "tracker");
  if (!KeyFileIsThere(folder.list())) WriteKeyFile(folder.list(), kHeading, Secrecy::kSecret);
  return keys;
}

AuthorizedList ReadAuthorizedList(const KeyFolder& folder) { return ParseAuthorizedList(ReadList(folder)); }

void Authorize(const KeyFolder& folder, const AuthorizedKey& key) {
  const KeyFileLock lock(folder.lock());
  WriteKeyFile(folder.list(), Without(ReadList(folder), {key}) + ToLine(key) + "\n", Secrecy::kSecret);
}

std::vector<AuthorizedKey> Revoke(const KeyFolder& folder, const std::string& which) {
  if (!KeyFileIsThere(folder.list())) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("there is no list of keys {}; hone key new --server makes a tracker's", folder.list()));
  }
  const KeyFileLock lock(folder.lock());
  const std::string text = ReadList(folder);
  std::vector<AuthorizedKey> out = ParseAuthorizedList(text).keys;
  std::erase_if(out, [&](const AuthorizedKey& key) { return !IsMeantKey(key, which); });
  if (!out.empty()) WriteKeyFile(folder.list(), Without(text, out), Secrecy::kSecret);
  return out;
}

}  // namespace hone
