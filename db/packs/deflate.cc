#include "db/packs/deflate.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "core/error.h"

namespace hone {

namespace {

constexpr size_t kPiece = size_t{1} << 16;

// The cast is safe because zlib only reads its input.
void Give(std::string_view bytes, z_stream& stream) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

// Calls `step` to fill pieces until one is not full; returns zlib's last code.
template <typename Step, typename Take>
int EachPiece(z_stream& stream, const Step& step, const Take& take) {
  std::array<char, kPiece> piece;
  int code = Z_OK;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    code = step();
    take(std::string_view(piece.data(), piece.size() - stream.avail_out));
  } while (code == Z_OK && stream.avail_out == 0);
  return code;
}

}  // namespace

struct Deflater::Stream {
  z_stream zlib{};
};

Deflater::Deflater(Effort effort) : stream_(std::make_unique<Stream>()) {
  const int level = effort == Effort::kFast ? Z_BEST_SPEED : Z_BEST_COMPRESSION;
  if (deflateInit(&stream_->zlib, level) != Z_OK) throw Error(ExitCode::kIo, "there is no memory to compress in");
}

Deflater::~Deflater() { deflateEnd(&stream_->zlib); }

void Deflater::Add(std::string_view piece) {
  Give(piece, stream_->zlib);
  EachPiece(
      stream_->zlib, [this] { return deflate(&stream_->zlib, Z_NO_FLUSH); },
      [this](std::string_view out) { deflated_ += out; });
}

std::string Deflater::Finish() {
  const int code = EachPiece(
      stream_->zlib, [this] { return deflate(&stream_->zlib, Z_FINISH); },
      [this](std::string_view out) { deflated_ += out; });
  if (code != Z_STREAM_END) throw Error(ExitCode::kBug, "what was to be compressed was not taken");
  return std::move(deflated_);
}

std::string Deflate(std::string_view bytes) {
  Deflater deflater(Deflater::Effort::kSmallest);
  deflater.Add(bytes);
  return deflater.Finish();
}

void InflateInPieces(std::string_view deflated, const std::function<void(std::string_view piece)>& take) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw Error(ExitCode::kIo, "there is no memory to read what is compressed");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, [](z_stream* s) { return inflateEnd(s); });
  Give(deflated, stream);
  const int code = EachPiece(stream, [&] { return inflate(&stream, Z_NO_FLUSH); }, take);
  if (code != Z_STREAM_END) throw Error(ExitCode::kBadData, "what is compressed is damaged");
}

std::string Inflate(std::string_view deflated, size_t size) {
  std::string bytes(size, '\0');
  uLongf got = size;
  uLong taken = deflated.size();
  const int code = uncompress2(reinterpret_cast<Bytef*>(bytes.data()), &got,
                               reinterpret_cast<const Bytef*>(deflated.data()), &taken);
  if (code != Z_OK || got != size || taken != deflated.size()) {
    throw Error(ExitCode::kBadData, "what is compressed is damaged");
  }
  return bytes;
}

}  // namespace hone
