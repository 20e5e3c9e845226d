// Blobs that are sent in pieces, as the receiver asks for them: docs/reference/protocol.md, Blobs in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rpc_runner/wire/job_message.h"

namespace hone {

// The size of a piece, small enough not to delay heartbeats on a slow line.
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

// Answers a `need` about one of the job's blobs: the reference, or a piece of a package job's blob of at most
// `most_bytes`. Nullopt if the job has no such blob, or the blob has no byte at that offset. Throws Error(kBadData).
std::optional<Frame> AnswerNeed(const JobMessage& job, const Json& need, int64_t most_bytes);

// The first blob of a package job whose bytes are missing here; null if none is.
const Blob* FirstMissing(const PackageJob& job);

}  // namespace hone
