#include "cli/files/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "cli/files/npy.h"
#include "cli/files/read_file.h"
#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;
constexpr uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr uint64_t kStored = 0, kDeflated = 8, kSaturated = 0xffffffff;
constexpr uint64_t kMostBytes = uint64_t{1} << 33;

// The archive as it lies in memory; all numbers are little-endian.
class Archive {
 public:
  Archive(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

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

  // Behind it lies only a comment of at most 64 KiB.
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
    if (!arrays.emplace(name, ParseNpy(Contents(at, file), fmt::format("{}, {}", name_, file))).second) {
      Fail(fmt::format("{} is there twice", file));
    }
    return at + kEntrySize + file.size() + Number(at + 30, 2) + Number(at + 32, 2);
  }

  std::string Contents(uint64_t entry, const std::string& file) const {
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
    std::string contents = method == kStored ? std::string(data) : Inflated(data, size, file);
    if (crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()) != crc) {
      Fail(fmt::format("the checksum of {} differs", file));
    }
    return contents;
  }

  // Deflate packs at most 1,032 to 1: what says more is not believed.
  std::string Inflated(std::string_view data, uint64_t size, const std::string& file) const {
    if (size > kMostBytes || size / 1100 > data.size()) Fail(fmt::format("{} has an impossible size", file));
    std::string contents(size, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(contents.data());
    stream.avail_out = static_cast<uInt>(size);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) Fail(fmt::format("{} cannot be unpacked", file));
    const int code = inflate(&stream, Z_FINISH);
    const bool whole = code == Z_STREAM_END && stream.total_out == size;
    inflateEnd(&stream);
    if (!whole) Fail(fmt::format("{} is damaged", file));
    return contents;
  }

  std::string_view bytes_;
  const std::string& name_;
};

}  // namespace

std::map<std::string, Tensor> ParseNpz(std::string_view bytes, const std::string& name) {
  return Archive(bytes, name).Read();
}

std::map<std::string, Tensor> ReadNpz(const std::string& path) { return ParseNpz(ReadFile(path), path); }

}  // namespace hone
