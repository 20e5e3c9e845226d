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

bool IsSecret(std::string_view keyword) { return keyword == "password" || keyword == "sslpassword"; }

}  // namespace

bool IsPostgresAddress(const std::string& where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

void CheckPostgresAddress(const std::string& address) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, OptionsFree> options(PQconninfoParse(address.c_str(), &why));
  // libpq's reason repeats the address, and with it a password.
  PQfreemem(why);
  if (options == nullptr) {
    throw Error(ExitCode::kUsage,
                "the address of the store cannot be read; it is written postgresql://USER@HOST:PORT/DATABASE, with "
                "%-escapes for other signs");
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && IsSecret(option->keyword)) {
      throw Error(ExitCode::kUsage,
                  "the address of the store has a password in it, which everybody on this machine can see; keep it in "
                  "~/.pgpass (mode 0600), a service file or PGPASSWORD");
    }
  }
}

}  // namespace hone
