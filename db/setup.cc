#include "db/setup.h"

namespace hone {

Setup SetupOf(const Record& record) {
  return {record.candidate.target, FingerprintOf(record.measurement.environment), record.threads, record.timing.cache};
}

SharedSetup::SharedSetup() {
  static const SharedSetup none{Setup()};
  setup_ = none.setup_;
}

bool SameCode(const Target& a, const Target& b) { return a.cpu == b.cpu && a.features == b.features; }

}  // namespace hone
