#include "db/record.h"

#include <utility>

#include "db/record_log.h"

namespace hone {

Record Finish(Record record) {
  record.id = TextOfRecord(record).id;
  return record;
}

}  // namespace hone
