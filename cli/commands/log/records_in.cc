#include "cli/commands/log/records_in.h"

#include "db/open_database.h"
#include "db/packs/pack.h"
#include "lab/files/read_file.h"
#include "lab/records/records.h"

namespace hone {

namespace {

bool IsPack(const std::string& path) {
  if (IsServerStore(path) || !IsThere(path)) return false;
  // Opening an InputFile refuses a pipe; IsPackFile would wait for its writer.
  const InputFile file(path);
  return IsPackFile(path);
}

}  // namespace

std::vector<Record> RecordsIn(const std::string& path) {
  if (IsPack(path)) return ReadPack(ReadFile(path)).records;
  RecordQuery query;
  query.fate = Fate::kOk;
  return OpenExistingStore(path)->Find(query);
}

}  // namespace hone
