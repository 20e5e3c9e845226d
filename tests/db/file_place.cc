#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {

struct StorePlace::Inside {
  TempFolder folder;
};

StorePlace::StorePlace() : inside_(std::make_unique<Inside>()), where_(inside_->folder.File("deep/down/records.db")) {}
StorePlace::~StorePlace() = default;
std::string StorePlace::Engine() { return "SQLite"; }

}  // namespace hone
