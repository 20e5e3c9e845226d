#include "lab/records/store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

#include "core/error.h"
#include "db/open_database.h"
#include "lab/files/read_file.h"
#include "lab/text/print.h"

namespace hone {

std::string StorePath(const std::string& path) { return path.empty() ? DefaultStorePath() : path; }

std::unique_ptr<RecordStore> OpenStore(const std::string& path) { return RecordStore::Open(StorePath(path), true); }

std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path) {
  const std::string at = StorePath(path);
  if (!path.empty() || IsServerStore(at) || IsThere(at)) return OpenExistingStore(path);
  // A named store that does not exist is most likely a typing mistake. The default store does not exist until it is
  // made.
  const char* named = std::getenv("HONE_DB");
  static std::once_flag told;
  if (named != nullptr && *named != '\0')
    std::call_once(told,
                   [&] { Note("warning: HONE_DB names {}, and no record store is there: no records are used\n", at); });
  return nullptr;
}

std::string ExistingStorePath(const std::string& path) {
  const std::string at = StorePath(path);
  if (!IsServerStore(at) && !IsThere(at)) {
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no record store {}; `hone tune` or `hone log import` makes one", at));
  }
  return at;
}

std::unique_ptr<RecordStore> OpenExistingStore(const std::string& path) {
  return RecordStore::Open(ExistingStorePath(path), false);
}

}  // namespace hone
