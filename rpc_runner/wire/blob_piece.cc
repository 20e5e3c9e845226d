#include "rpc_runner/wire/blob_piece.h"

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace hone {
namespace {

constexpr const char* kOffset = "offset_bytes";

int64_t Offset(const Json& header) {
  const uint64_t offset = HeaderNumber(header, kOffset);
  if (offset > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw Error(ExitCode::kBadData, "bad frame: field \"offset_bytes\" is beyond any blob");
  }
  return static_cast<int64_t>(offset);
}

}  // namespace

Frame NeedPieceFrame(JobId id, const std::string& sha256, int64_t offset_bytes) {
  return {FrameKind::kNeed, {{"job", id}, {"sha256", sha256}, {kOffset, static_cast<uint64_t>(offset_bytes)}}, {}};
}

Frame PieceFrame(const BlobPiece& piece) {
  return {FrameKind::kBlob,
          {{"sha256", piece.sha256}, {kOffset, static_cast<uint64_t>(piece.offset_bytes)}},
          {piece.bytes}};
}

bool IsPiece(const Frame& blob) { return blob.header.contains(kOffset); }

BlobPiece PieceFromFrame(const Frame& frame) {
  BlobPiece piece{HeaderText(frame.header, "sha256"), Offset(frame.header), ""};
  if (frame.parts.size() != 1) throw Error(ExitCode::kBadData, "bad frame: a blob has one part");
  piece.bytes = frame.parts[0];
  return piece;
}

std::optional<Frame> AnswerNeed(const JobMessage& job, const Json& need, int64_t most_bytes) {
  const std::string sha256 = HeaderText(need, "sha256");
  if (!need.contains(kOffset)) {
    if (job.package || sha256 != job.reference_sha256) return std::nullopt;
    return BlobFrame(sha256, job.job.reference.elf);
  }
  if (!job.package) return std::nullopt;
  const int64_t offset = Offset(need);
  for (const std::optional<Blob>& blob : {job.package->params, job.package->inputs}) {
    if (!blob || blob->sha256 != sha256 || blob->data == nullptr || offset >= blob->size_bytes) continue;
    return PieceFrame(
        {sha256, offset,
         std::string(blob->bytes().substr(static_cast<size_t>(offset), static_cast<size_t>(most_bytes)))});
  }
  return std::nullopt;
}

const Blob* FirstMissing(const PackageJob& job) {
  for (const std::optional<Blob>* blob : {&job.params, &job.inputs}) {
    if (*blob && (*blob)->is_missing()) return &**blob;
  }
  return nullptr;
}

}  // namespace hone
