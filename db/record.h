// What is kept of a trial.
#pragma once

#include <cstdint>
#include <string>

#include "core/candidate.h"
#include "core/measurement.h"

namespace hone {

// The trial's part in finals (docs/tuning.md), where a task's fastest candidates were timed again in turns.
struct FinalsPart {
  int held = 0;            // which finals of the run for this workload, from 1; 0: a trial of the search
  int round = 0;           // from 1
  int place = 0;           // its candidate's when they were judged; 1: the winner
  bool incumbent = false;  // its candidate was what a build took before them
  int64_t network_ns = 0;  // of finals in the built model: its least time there, over all uses; 0: of finals alone
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
  std::string packing_sha256;  // of how weights are packed; empty when they are packed by layout alone
  int64_t unix_ms = 0;         // when it was measured, a label
  std::string session;         // id of the tuning run
  FinalsPart finals;
  bool operator==(const Record&) const = default;
};

// Sets the id from the rest and returns the record.
Record Finish(Record record);

}  // namespace hone
