#include "tuner/measured_here.h"

namespace hone {
namespace {

// The runner's trouble, not the candidate's: such a trial says nothing and is done again.
bool SaysNothing(Fate fate) { return fate == Fate::kRunnerLost || fate == Fate::kCancelled; }

}  // namespace

bool CountsHere(const Record& record, const SearchSpace& space, const MeasuredHere& here) {
  const Schedule* schedule = space.Find(record.candidate.schedule);
  const Fingerprint there = FingerprintOf(record.measurement.environment);
  return schedule != nullptr && schedule->version() == record.schedule_version &&
         record.candidate.target == here.setup.target && !SaysNothing(record.measurement.fate) &&
         (!there.known() || there == here.setup.machine);
}

}  // namespace hone
