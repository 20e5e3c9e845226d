#include "db/postgresql/address.h"

#include <libpq-fe.h>

#include <memory>
#include <string_view>

#include "core/error.h"

namespace hone {
namespace {

struct OptionsFree {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string Lower(std::string text) {
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text;
}

// Looks for "password = x" as in libpq's key=value words.
bool GivesPassword(std::string_view lower) {
  constexpr std::string_view kWord = "password";
  for (size_t at = lower.find(kWord); at != lower.npos; at = lower.find(kWord, at + 1)) {
    const size_t next = lower.find_first_not_of(kBlanks, at + kWord.size());
    if (next != lower.npos && lower[next] == '=') return true;
  }
  return false;
}

// libpq ends the part before '@' at the first '/'. If a password contains '/', it takes the beginning for a port and
// the rest, with the '@', for a database.
bool IsReadAsMeant(std::string_view address) {
  const bool has_scheme = address.starts_with("postgresql://") || address.starts_with("postgres://");
  if (!has_scheme) return false;
  address.remove_prefix(address.find("//") + 2);
  const size_t at = address.find('@'), path = address.find('/');
  return at == address.npos || (address.find('@', at + 1) == address.npos && at < path);
}

bool IsPorts(std::string_view text) { return text.find_first_not_of("0123456789,") == text.npos; }

[[noreturn]] void RefuseUnreadable() {
  throw Error(ExitCode::kUsage,
              "the address of the store cannot be read; it is written postgresql://USER@HOST:PORT/DATABASE, with "
              "%-escapes for other signs");
}

}  // namespace

bool IsPostgresAddress(const std::string& where) {
  const std::string lower = Lower(where);
  const size_t begin = lower.find_first_not_of(kBlanks);
  if (begin == lower.npos) return false;
  const std::string_view text = std::string_view(lower).substr(begin);
  const bool has_scheme = text.find("://") != text.npos || text.find("%3a") != text.npos;
  return has_scheme || text.starts_with("postgres:") || text.starts_with("postgresql:") || GivesPassword(text);
}

void CheckPostgresAddress(const std::string& address) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, OptionsFree> options(PQconninfoParse(address.c_str(), &why));
  // libpq's reason repeats the address, and with it a password.
  PQfreemem(why);
  if (options == nullptr) RefuseUnreadable();
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (std::string_view(option->keyword) == "port" && !IsPorts(option->val)) RefuseUnreadable();
    // '*' is libpq's own mark for values that must not be shown.
    if (option->dispchar[0] == '*') {
      throw Error(ExitCode::kUsage,
                  "the address of the store has a password in it, which everybody on this machine can see; keep it in "
                  "~/.pgpass (mode 0600), a service file or PGPASSWORD");
    }
  }
  if (!IsReadAsMeant(address)) RefuseUnreadable();
}

}  // namespace hone
