#include "tests/lab/zip_archive.h"

#include <zlib.h>

#include <cstdint>

namespace hone {
namespace {

std::string Little(uint64_t number, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  return bytes;
}

Bytef* BytesOf(const std::string& text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

std::string Deflated(const std::string& text) {
  std::string packed(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = BytesOf(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = BytesOf(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string ZipArchive(const std::vector<std::pair<std::string, std::string>>& files, bool deflated) {
  std::string archive, table;
  for (const auto& [name, contents] : files) {
    const std::string data = deflated ? Deflated(contents) : contents;
    // Flags, method, time and date, checksum, both sizes, length of the name, length of the extra field (0).
    const std::string common = Little(0, 2) + Little(deflated ? 8 : 0, 2) + Little(0, 4) +
                               Little(crc32(0, BytesOf(contents), static_cast<uInt>(contents.size())), 4) +
                               Little(data.size(), 4) + Little(contents.size(), 4) + Little(name.size(), 2) +
                               Little(0, 2);
    table += "PK\1\2" + Little(20, 2) + Little(20, 2) + common + Little(0, 10) + Little(archive.size(), 4) + name;
    archive += "PK\3\4" + Little(20, 2) + common + name + data;
  }
  const std::string end = "PK\5\6" + Little(0, 4) + Little(files.size(), 2) + Little(files.size(), 2) +
                          Little(table.size(), 4) + Little(archive.size(), 4) + Little(0, 2);
  return archive + table + end;
}

}  // namespace hone
