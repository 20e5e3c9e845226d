// The conditions under which two times may be compared.
#pragma once

#include <memory>
#include <utility>

#include "core/machine/fingerprint.h"
#include "core/machine/target.h"
#include "core/measurement.h"
#include "db/record.h"

namespace hone {

// The properties that two records must share before their times say which is faster.
struct Setup {
  Target target;        // its num_cores is 0, because code does not depend on it
  Fingerprint machine;  // the machine that measured
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  bool operator==(const Setup&) const = default;
};

Setup SetupOf(Target target, Fingerprint machine, int threads, CacheMode cache);
Setup SetupOf(const Record& record);

// A Setup that many values share. Copying it costs nothing, and comparing two from one owner next to nothing.
class SharedSetup {
 public:
  SharedSetup();
  explicit SharedSetup(Setup setup) : setup_(std::make_shared<const Setup>(std::move(setup))) {}
  const Setup& operator*() const { return *setup_; }
  const Setup* operator->() const { return setup_.get(); }
  bool operator==(const SharedSetup& other) const { return setup_ == other.setup_ || *setup_ == *other.setup_; }

 private:
  std::shared_ptr<const Setup> setup_;  // never null
};

// Whether both targets get the same code: equal CPU and features. The number of cores does not matter.
bool SameCode(const Target& a, const Target& b);

}  // namespace hone
