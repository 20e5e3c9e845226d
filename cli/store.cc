#include "cli/store.h"

#include <fmt/format.h>

#include "cli/files/read_file.h"
#include "core/error.h"
#include "db/open_database.h"

namespace hone {

void AddStoreOption(CommandLine& line, std::string& path) {
  line.Add("--db", path, "the record store, a file or postgresql://...; by default $HONE_DB, else the user's own")
      .About(Topic::kStore);
}

std::string StorePath(const std::string& path) { return path.empty() ? DefaultStorePath() : path; }

std::unique_ptr<RecordStore> OpenStore(const std::string& path) { return RecordStore::Open(StorePath(path), true); }

std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path) {
  if (path.empty() && !IsServerStore(DefaultStorePath()) && !IsThere(DefaultStorePath())) return nullptr;
  return OpenExistingStore(path);
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
