// Jobs and their results as frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/failure.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

// The limit of one job's outputs together: with the rest of its result they fit into a frame.
inline constexpr int64_t kMaxOutputBytes = int64_t{60} << 20;

// A job in transit. `job.reference.elf` is empty while only its hash is known.
struct JobMessage {
  JobId id = 0;
  uint32_t attempt = 1;
  std::string lease;             // empty on a socketpair
  std::string reference_sha256;  // for a kernel job
  KernelJob job;
  std::optional<PackageJob> package;  // instead of `job`
};

// Includes the reference's bytes if with_reference is set.
Frame JobToFrame(const JobMessage& message, bool with_reference);
// Throws Error(kBadData) naming the field, also if an included reference does not match its hash, or the job's kind is
// neither "kernel" nor "package". The limits of docs/reference/protocol.md are checked where the job runs.
JobMessage JobFromFrame(const Frame& frame);

struct ResultMessage {
  JobId id = 0;
  uint32_t attempt = 1;
  Measurement measurement;
  JobCost cost = {};
  std::string outputs = {};  // see JobResult; at most kMaxOutputBytes
};
Frame ResultToFrame(const ResultMessage& message);
ResultMessage ResultFromFrame(const Frame& frame);  // throws Error(kBadData)

// An error with the job and the attempt that `header` names.
Frame JobErrorFrame(std::string_view code, std::string_view message, const Json& header);

// Asks for a whole blob; see blob_piece.h for blobs in pieces.
Frame NeedFrame(JobId id, const std::string& sha256);
Frame BlobFrame(const std::string& sha256, const std::string& bytes);
// The blob's bytes. Throws Error(kBadData) if they do not have the header's hash, which goes to *sha256.
std::string BlobFromFrame(const Frame& frame, std::string* sha256);

// A measurement without times, for a job that could not be measured.
Measurement FailedMeasurement(Fate fate, int32_t detail, const std::string& message);
// For a failure of the machine, the detail is the exit code.
Measurement FailedMeasurement(const Failure& failure);

}  // namespace hone
