#include "db/setup.h"

#include <utility>

namespace hone {

Setup SetupOf(Target target, Fingerprint machine, int threads, CacheMode cache) {
  target.num_cores = 0;
  return {std::move(target), std::move(machine), threads, cache};
}

Setup SetupOf(const Record& record) {
  return SetupOf(record.candidate.target, FingerprintOf(record.measurement.environment), record.threads,
                 record.timing.cache);
}

SharedSetup::SharedSetup() {
  static const SharedSetup none{Setup()};
  setup_ = none.setup_;
}

bool SameCode(const Target& a, const Target& b) { return a.cpu == b.cpu && a.features == b.features; }

}  // namespace hone
