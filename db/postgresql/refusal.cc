#include "db/postgresql/refusal.h"

#include <fmt/format.h>

#include "core/error.h"
#include "db/database.h"

namespace hone {
namespace {

std::string FirstLine(const std::string& words) { return words.substr(0, words.find('\n')); }

ExitCode CodeOf(const std::string& state) {
  if (state == "3D000") return ExitCode::kNoInput;                            // no such database
  if (state == "42501" || state == "25006") return ExitCode::kNotAuthorised;  // no privilege, a standby
  if (state.starts_with("28")) return ExitCode::kNotAuthorised;               // authentication
  if (state == "XX001" || state == "XX002") return ExitCode::kBadData;        // damaged pages, damaged index
  if (state.starts_with("42")) return ExitCode::kBadData;                     // tables were changed
  if (state.starts_with("22")) return ExitCode::kBug;                         // values that the server does not take
  return ExitCode::kIo;
}

}  // namespace

void ThrowRefusal(const std::string& store, const std::string& state, const std::string& words) {
  if (state == "55P03") throw DatabaseBusy(fmt::format("store '{}' was locked by other writers for 30 s", store));
  if (state.empty()) {
    throw Error(ExitCode::kIo, fmt::format("the server of store '{}' was lost: {}", store, FirstLine(words)));
  }
  std::string more;
  if (state == "3D000") more = "; createdb makes it";
  if (state == "28P01") more = "; the password comes from ~/.pgpass or PGPASSWORD";
  throw Error(CodeOf(state), fmt::format("store '{}': {}{}", store, FirstLine(words), more));
}

}  // namespace hone
