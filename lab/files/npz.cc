#include "lab/files/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "lab/files/npy.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;
constexpr uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr uint64_t kStored = 0, kDeflated = 8, kSaturated = 0xffffffff;
// Deflate expands one byte to as many as 1,032 if all are equal; measured data have varied values.
constexpr uint64_t kFreeBytes = uint64_t{64} << 20, kMostGrowth = 200;

// Reads the bytes of one entry, in order.
class EntryReader {
 public:
  EntryReader(std::string_view data, bool deflated) : data_(data), deflated_(deflated) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    good_ = !deflated || inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~EntryReader() {
    if (deflated_) inflateEnd(&stream_);
  }
  EntryReader(const EntryReader&) = delete;
  EntryReader& operator=(const EntryReader&) = delete;

  // Returns false if the entry is damaged or has fewer bytes.
  bool Read(char* to, size_t bytes) {
    if (!good_ || !(deflated_ ? Inflate(to, bytes) : Copy(to, bytes))) return good_ = false;
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(to), bytes);
    return true;
  }
  // Whether all bytes were read.
  bool IsAtEnd() {
    char more = 0;
    if (!deflated_) return data_.empty();
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    return ended_ || (inflate(&stream_, Z_NO_FLUSH) == Z_STREAM_END && stream_.avail_out == 1);
  }
  uint32_t crc() const { return static_cast<uint32_t>(crc_); }

 private:
  bool Copy(char* to, size_t bytes) {
    if (bytes > data_.size()) return false;
    std::copy_n(data_.data(), bytes, to);
    data_.remove_prefix(bytes);
    return true;
  }

  // An entry has less than 4 GiB, so its sizes fit zlib's counts.
  bool Inflate(char* to, size_t bytes) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(bytes);
    while (stream_.avail_out > 0 && !ended_) {
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END) return false;
      ended_ = code == Z_STREAM_END;
    }
    return stream_.avail_out == 0;
  }

  std::string_view data_;
  const bool deflated_;
  z_stream stream_ = {};
  bool good_ = false, ended_ = false;
  uLong crc_ = 0;
};

// An archive in memory; all its numbers are little-endian.
class Archive {
 public:
  Archive(std::string_view bytes, const std::string& name, const AcceptArray& accept)
      : bytes_(bytes), name_(name), accept_(accept) {}

  std::map<std::string, Tensor> Read() const {
    const size_t end = FindEnd();
    const uint64_t count = Number(end + 10, 2);
    uint64_t at = Number(end + 16, 4);
    std::map<std::string, Tensor> arrays;
    for (uint64_t i = 0; i < count; ++i) at = ReadEntry(at, arrays);
    return arrays;
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw Error(ExitCode::kBadData, fmt::format("{}: not a usable .npz file: {}", name_, why));
  }

  uint64_t Number(uint64_t at, int size) const {
    if (at > bytes_.size() || static_cast<uint64_t>(size) > bytes_.size() - at) Fail("it is cut off");
    uint64_t number = 0;
    for (int i = size - 1; i >= 0; --i)
      number = number << 8 | static_cast<unsigned char>(bytes_[at + static_cast<uint64_t>(i)]);
    return number;
  }
  std::string_view Part(uint64_t at, uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) Fail("it is cut off");
    return bytes_.substr(at, size);
  }

  // Only a comment of at most 64 KiB lies behind the end record.
  size_t FindEnd() const {
    for (size_t back = kEndSize; back <= std::min<size_t>(bytes_.size(), kEndSize + 0xffff); ++back) {
      if (Number(bytes_.size() - back, 4) == kEndMark) return bytes_.size() - back;
    }
    Fail("it does not end as a zip archive");
  }

  uint64_t ReadEntry(uint64_t at, std::map<std::string, Tensor>& arrays) const {
    if (Number(at, 4) != kEntryMark) Fail("its table of contents is damaged");
    const std::string file(Part(at + kEntrySize, Number(at + 28, 2)));
    if ((Number(at + 8, 2) & 1) != 0) Fail(fmt::format("{} is encrypted", file));
    if (!file.ends_with(".npy")) Fail(fmt::format("it holds {}, which is no .npy file", file));
    const std::string name = file.substr(0, file.size() - 4);
    if (arrays.contains(name)) Fail(fmt::format("{} is there twice", file));
    arrays.emplace(name, Contents(at, file, name));
    return at + kEntrySize + file.size() + Number(at + 30, 2) + Number(at + 32, 2);
  }

  Tensor Contents(uint64_t entry, const std::string& file, const std::string& array) const {
    const uint64_t method = Number(entry + 10, 2), crc = Number(entry + 16, 4), packed = Number(entry + 20, 4),
                   size = Number(entry + 24, 4), local = Number(entry + 42, 4);
    if (packed == kSaturated || size == kSaturated || local == kSaturated) {
      Fail(fmt::format("{} lies in a part of 4 GiB or more, which is not read", file));
    }
    if (Number(local, 4) != kLocalMark) Fail(fmt::format("{} is not where it should be", file));
    const uint64_t begin = local + kLocalSize + Number(local + 26, 2) + Number(local + 28, 2);
    const std::string_view data = Part(begin, packed);
    if (method != kStored && method != kDeflated)
      Fail(fmt::format("{} is compressed in another way than deflate", file));
    if (method == kStored && packed != size) Fail(fmt::format("{} has two sizes", file));
    if (size > kFreeBytes && size / kMostGrowth > packed) {
      Fail(fmt::format("{} would become {} bytes of {}", file, size, packed));
    }
    EntryReader reader(data, method == kDeflated);
    return Array(reader, {file, array, size, static_cast<uint32_t>(crc)});
  }

  struct EntryNote {
    const std::string& file;
    const std::string& array;
    uint64_t size;
    uint32_t crc;
  };

  // Reads the head first, and allocates memory for the rest when the head was accepted.
  Tensor Array(EntryReader& reader, const EntryNote& entry) const {
    const auto read = [&](char* to, size_t bytes) {
      if (!reader.Read(to, bytes)) Fail(fmt::format("{} is damaged", entry.file));
    };
    std::string begin(std::min<uint64_t>(entry.size, kMostNpyHeadBytes), '\0');
    read(begin.data(), begin.size());
    const NpyHead head = ParseNpyHead(begin, entry.size, fmt::format("{}, {}", name_, entry.file));
    accept_(entry.array, head.dtype, head.shape);
    Tensor tensor(head.dtype, head.shape);
    auto* const data = static_cast<char*>(tensor.raw());
    const size_t have = begin.size() - head.data_offset;
    if (have > 0) std::memcpy(data, begin.data() + head.data_offset, have);
    if (entry.size > begin.size()) read(data + have, entry.size - begin.size());
    if (!reader.IsAtEnd()) Fail(fmt::format("{} is damaged", entry.file));
    if (reader.crc() != entry.crc) Fail(fmt::format("the checksum of {} differs", entry.file));
    return tensor;
  }

  std::string_view bytes_;
  const std::string& name_;
  const AcceptArray& accept_;
};

}  // namespace

std::map<std::string, Tensor> ParseNpz(std::string_view bytes, const std::string& name, const AcceptArray& accept) {
  return Archive(bytes, name, accept).Read();
}

std::map<std::string, Tensor> ReadNpz(const std::string& path, const AcceptArray& accept) {
  return ParseNpz(ReadFile(path), path, accept);
}

}  // namespace hone
