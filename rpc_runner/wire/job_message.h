// Jobs, their results and their blobs as frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::optional<RuntimeJob> runtime;  // instead of both
};

// Includes the reference's bytes if with_reference is set.
Frame JobToFrame(const JobMessage& message, bool with_reference);
// Throws Error(kBadData) naming the field, also if an included reference does not match its hash. It throws the same
// for a kind other than "kernel", "package" and "runtime". The limits of docs/reference/protocol.md are checked where
// the job runs.
JobMessage JobFromFrame(const Frame& frame);

struct ResultMessage {
  JobId id = 0;
  uint32_t attempt = 1;
  Measurement measurement;
  JobCost cost = {};
  std::string outputs = {};  // see JobResult; at most kMaxOutputBytes
  std::optional<RuntimeFacts> runtime = {};
};
Frame ResultToFrame(const ResultMessage& message);
ResultMessage ResultFromFrame(const Frame& frame);  // throws Error(kBadData)

// An error with the job and the attempt that `header` names.
Frame JobErrorFrame(std::string_view code, std::string_view message, const Json& header);

// Asks for a whole blob.
Frame NeedFrame(JobId id, const std::string& sha256);
Frame BlobFrame(const std::string& sha256, const std::string& bytes);
// The blob's bytes. Throws Error(kBadData) if they do not have the header's hash, which goes to *sha256.
std::string BlobFromFrame(const Frame& frame, std::string* sha256);

// A measurement without times, for a job that could not be measured.
Measurement FailedMeasurement(Fate fate, int32_t detail, const std::string& message);
// For a failure of the machine, the detail is the exit code.
Measurement FailedMeasurement(const Failure& failure);

// Large blobs are sent in pieces, as the receiver asks for them: docs/reference/protocol.md, Blobs in pieces. The size
// of a piece, small enough not to delay heartbeats on a slow line.
inline constexpr int64_t kPieceBytes = int64_t{1} << 20;
// The size of a piece to an executor on the same machine.
inline constexpr int64_t kLocalPieceBytes = int64_t{16} << 20;

struct BlobPiece {
  std::string sha256;  // of the whole blob
  int64_t offset_bytes = 0;
  std::string bytes;
};

// Asks for the blob from offset_bytes on.
Frame NeedPieceFrame(JobId id, const std::string& sha256, int64_t offset_bytes);
Frame PieceFrame(const BlobPiece& piece);
// A blob frame holds either a piece or the whole blob for BlobFromFrame.
bool IsPiece(const Frame& blob);
// Throws Error(kBadData) naming the field.
BlobPiece PieceFromFrame(const Frame& frame);

// Answers a `need` about one of the job's blobs: the reference, or a piece of at most `most_bytes` of another job's.
// Nullopt if the job has no such blob, or the blob has no byte at that offset. Throws Error(kBadData).
std::optional<Frame> AnswerNeed(const JobMessage& job, const Json& need, int64_t most_bytes);

// The blobs that a package or runtime job names. A kernel job has none: its reference is known by its hash alone.
std::vector<const Blob*> BlobsOf(const JobMessage& job);
std::vector<Blob*> BlobsOf(JobMessage& job);
// The first of them whose bytes are missing here; null if none is.
const Blob* FirstMissing(const JobMessage& job);

}  // namespace hone
