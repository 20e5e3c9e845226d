// The stored result of a trial.
#pragma once

#include <cstdint>
#include <string>

#include "core/candidate.h"
#include "core/measurement.h"

namespace hone {

// A record's part in finals (docs/why/tuning.md), in which a task's fastest candidates are timed again in turns.
struct FinalsPart {
  int held = 0;            // number of the finals within the run and workload, from 1; 0 = a trial of the search
  int round = 0;           // from 1
  int place = 0;           // place of its candidate in the judgement; 1 = the winner
  bool incumbent = false;  // its candidate was the build's choice before the finals
  int64_t network_ns = 0;  // least time of finals in the built model, summed over all uses; 0 = not such finals
  bool operator==(const FinalsPart&) const = default;
};

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
  std::string packing_sha256;  // hash of the way weights are packed; empty if only the layout packs them
  int64_t unix_ms = 0;         // time of the measurement, a label
  std::string session;         // id of the tuning run
  FinalsPart finals;
  bool operator==(const Record&) const = default;
};

// Computes the id from the other fields and returns the record.
Record Finish(Record record);

}  // namespace hone
