#include "cli/commands/log/records_in.h"

#include "cli/files/read_file.h"
#include "cli/store.h"
#include "db/packs/pack.h"

namespace hone {

std::vector<Record> RecordsIn(const std::string& path) {
  if (IsPackFile(path)) return ReadPack(ReadFile(path)).records;
  RecordQuery query;
  query.fate = Fate::kOk;
  return OpenExistingStore(path)->Find(query);
}

}  // namespace hone
