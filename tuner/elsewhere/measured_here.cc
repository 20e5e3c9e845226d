#include "tuner/elsewhere/measured_here.h"

#include "core/failure.h"

namespace hone {
namespace {

// Whether the failure is the machine's and not the candidate's. Such a trial is measured again.
bool SaysNothing(const Measurement& measurement) {
  return measurement.fate == Fate::kRunnerLost || measurement.fate == Fate::kCancelled ||
         BlamesForMachine(measurement.fate, measurement.message);
}

}  // namespace

bool CountsHere(const Record& record, const SearchSpace& space, const MeasuredHere& here) {
  const Schedule* schedule = space.Find(record.candidate.schedule);
  const Fingerprint there = FingerprintOf(record.measurement.environment);
  return schedule != nullptr && schedule->version() == record.schedule_version &&
         record.candidate.target == here.setup.target && !SaysNothing(record.measurement) &&
         (!there.known() || there == here.setup.machine);
}

}  // namespace hone
