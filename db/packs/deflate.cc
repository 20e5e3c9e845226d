#include "db/packs/deflate.h"

#include <zlib.h>

#include "core/error.h"

namespace hone {

std::string Deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (code != Z_OK) throw Error(ExitCode::kIo, "there is no memory to compress in");
  deflated.resize(size);
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
