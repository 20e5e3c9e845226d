#include "db/store_kind.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "db/trial_row.h"

namespace hone {
namespace {

// File formats of SQLite, from https://www.sqlite.org/fileformat2.html.
constexpr size_t kSqliteHeaderBytes = 100, kApplicationIdAt = 68;
constexpr std::string_view kDatabase("SQLite format 3\0", 16);
constexpr std::string_view kRollback("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
constexpr std::string_view kLogs[] = {"\x37\x7f\x06\x82", "\x37\x7f\x06\x83"};

// The first bytes of the file, fewer if it is shorter. Empty if it is no regular file, nullopt if reading is not
// permitted.
std::optional<std::string> HeaderOf(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno == EACCES ? std::nullopt : std::optional<std::string>("");
  std::string header(kSqliteHeaderBytes, '\0');
  const ssize_t got = read(fd, header.data(), header.size());
  close(fd);
  header.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return header;
}

bool HasStoreId(const std::string& header) {
  if (header.size() < kSqliteHeaderBytes) return false;
  uint32_t id = 0;
  for (size_t i = 0; i < sizeof(id); ++i) id = id << 8 | static_cast<uint8_t>(header[kApplicationIdAt + i]);
  return id == kStoreApplicationId;
}

// hone's own secret keys, and those of minisign and its kin.
bool IsSecretKey(std::string_view header) {
  const std::string_view line = header.substr(0, header.find('\n'));
  return line.starts_with("# a secret key of hone") ||
         (line.starts_with("untrusted comment:") && line.find("secret key") != line.npos);
}

// Whether `path` is a file of a store beside it. Only the name distinguishes a -shm file from other files.
bool IsBesideStore(const std::string& path) {
  for (const std::string_view suffix : kBesideStore) {
    if (path.ends_with(suffix) &&
        HeaderOf(path.substr(0, path.size() - suffix.size())).value_or("").starts_with(kDatabase))
      return true;
  }
  return false;
}

}  // namespace

std::string KindThatIsNeverReplaced(const std::string& path) {
  const std::optional<std::string> read = HeaderOf(path);
  if (!read) return "a file that may not be read, perhaps a record store";
  const std::string& header = *read;
  if (IsSecretKey(header)) return "a secret key";
  // Until the first checkpoint, a new store has its id only in the log.
  if (header.starts_with(kDatabase)) return HasStoreId(header) ? "a record store" : "an SQLite database";
  bool is_log = header.starts_with(kRollback);
  for (const std::string_view log : kLogs) is_log = is_log || header.starts_with(log);
  if (is_log) return "the journal of an SQLite database";
  return IsBesideStore(path) ? "a file of the record store beside it" : "";
}

}  // namespace hone
