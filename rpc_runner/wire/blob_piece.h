// Blobs that travel piece by piece, as the receiver asks for them: docs/protocol.md, Blobs in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rpc_runner/wire/job_message.h"

namespace hone {

// So small that beats are not kept waiting behind one on a slow line.
inline constexpr int64_t kPieceBytes = int64_t{1} << 20;
// To an executor on the same machine.
inline constexpr int64_t kLocalPieceBytes = int64_t{16} << 20;

struct BlobPiece {
  std::string sha256;  // of the whole blob
  int64_t offset_bytes = 0;
  std::string bytes;
};

// Asks for the blob from offset_bytes on.
Frame NeedPieceFrame(JobId id, const std::string& sha256, int64_t offset_bytes);
Frame PieceFrame(const BlobPiece& piece);
// A blob frame either holds a piece or, as BlobFromFrame takes it, the whole.
bool IsPiece(const Frame& blob);
// Throws Error(kBadData) naming the field.
BlobPiece PieceFromFrame(const Frame& frame);

// What answers a `need` about one of the job's blobs: the reference, or a piece of at most `most_bytes` of what a
// package job brings. Nullopt when the job has no such blob, or it has no byte there. Throws Error(kBadData).
std::optional<Frame> AnswerNeed(const JobMessage& job, const Json& need, int64_t most_bytes);

// The first blob of a package job that is not here; null when it has all.
const Blob* FirstMissing(const PackageJob& job);

}  // namespace hone
