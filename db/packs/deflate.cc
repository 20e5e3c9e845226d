#include "db/packs/deflate.h"

#include <zlib.h>

#include <array>

#include "core/error.h"

namespace hone {

std::string Deflate(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) throw Error(ExitCode::kIo, "there is no memory to compress in");
  std::string deflated;
  std::array<char, size_t{1} << 16> piece;
  // It only reads what it is given.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    code = deflate(&stream, Z_FINISH);
    deflated.append(piece.data(), piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw Error(ExitCode::kBug, "what was to be compressed was not taken");
  return deflated;
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
