#include "db/record.h"

#include "core/hash.h"
#include "db/record_log.h"

namespace hone {

Record Finish(Record record) {
  Json json = ToJson(record);
  json.erase("id");
  record.id = Sha256Hex(DumpJson(json)).substr(0, 16);
  return record;
}

}  // namespace hone
