// What is kept of a trial.
#pragma once

#include <cstdint>
#include <string>

#include "core/candidate.h"
#include "core/measurement.h"

namespace hone {

// Immutable, named by its content: importing the same record twice changes nothing.
struct Record {
  std::string id;  // first 16 hex digits of the SHA-256 of its canonical JSON without the id; set by Finish
  Candidate candidate;
  int threads = 1;
  int schedule_version = 1;
  std::string input_layout, output_layout;  // Layout texts of data and output
  Measurement measurement;                  // samples, fate, error, environment
  TimingPolicy timing;
  std::string hone_version, llvm_version;
  std::string artifact_sha256;
  std::string packing_sha256;  // of how weights are packed; empty when they are packed by layout alone
  int64_t unix_ms = 0;         // when it was measured, a label
  std::string session;         // id of the tuning run
  bool operator==(const Record&) const = default;
};

// Sets the id from the rest and returns the record.
Record Finish(Record record);

}  // namespace hone
