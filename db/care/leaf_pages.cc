#include "db/care/leaf_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kMostPayload = size_t{32} << 20;
constexpr char kTableLeaf = 0x0D;

// Reads a big-endian number.
uint64_t Number(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8U | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

// Reads a varint and moves `at` behind it; nullopt when the bytes end within it.
std::optional<uint64_t> Varint(std::string_view bytes, size_t& at) {
  uint64_t number = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    if (i == 8) return number << 8U | byte;
    number = number << 7U | (byte & 0x7FU);
    if (byte < 0x80) return number;
  }
  return number;
}

size_t SizeOf(uint64_t serial_type) {
  static constexpr size_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return serial_type < 12 ? kSizes[serial_type] : static_cast<size_t>((serial_type - 12) / 2);
}

// Record format: header size, a serial type per column, then the values. Odd types from 13 on are texts.
std::vector<std::string> TextsOf(std::string_view payload) {
  std::vector<std::string> texts;
  size_t at = 0;
  const auto header = Varint(payload, at);
  if (!header || *header > payload.size()) return texts;
  size_t value = static_cast<size_t>(*header);
  while (at < *header) {
    const auto type = Varint(payload, at);
    if (!type) break;
    const size_t size = SizeOf(*type);
    if (size > payload.size() - value) break;
    if (*type >= 13 && *type % 2 == 1) texts.emplace_back(payload.substr(value, size));
    value += size;
  }
  return texts;
}

class PageFile {
 public:
  explicit PageFile(const std::string& path) : in_(path, std::ios::binary) {
    if (!in_) throw Error(ExitCode::kNoInput, fmt::format("'{}' cannot be read", path));
    std::string header(100, '\0');
    in_.read(header.data(), static_cast<std::streamsize>(header.size()));
    const uint64_t told = Number(header, 16, 2) == 1 ? 65536 : Number(header, 16, 2);
    if (told >= 512 && (told & (told - 1)) == 0) page_bytes_ = static_cast<size_t>(told);
    in_.clear();
    in_.seekg(0, std::ios::end);
    const auto size = static_cast<uint64_t>(std::max<std::streamoff>(0, in_.tellg()));
    pages_ = (size + page_bytes_ - 1) / page_bytes_;
  }

  uint64_t pages() const { return pages_; }
  size_t page_bytes() const { return page_bytes_; }

  // `number` counts from 1. Beyond the file's end the page is zeros.
  std::string Page(uint64_t number) {
    std::string page(page_bytes_, '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>((number - 1) * page_bytes_));
    in_.read(page.data(), static_cast<std::streamsize>(page_bytes_));
    return page;
  }

 private:
  std::ifstream in_;
  size_t page_bytes_ = 4096;
  uint64_t pages_ = 0;
};

// The number of a payload's bytes on its own page, by section 1.6.
size_t LocalBytes(size_t payload, size_t usable) {
  const size_t most = usable - 35;
  if (payload <= most) return payload;
  const size_t least = (usable - 12) * 32 / 255 - 23;
  const size_t local = least + (payload - least) % (usable - 4);
  return local <= most ? local : least;
}

// The payload of the cell at `at`, overflow pages included; empty when it leads out of the file.
std::string PayloadOf(PageFile& file, const std::string& page, size_t at) {
  const auto bytes = Varint(page, at);
  const auto rowid = bytes ? Varint(page, at) : std::nullopt;
  if (!rowid || *bytes > kMostPayload) return "";
  const size_t local = LocalBytes(static_cast<size_t>(*bytes), page.size());
  if (local > page.size() - at) return "";
  std::string payload = page.substr(at, local);
  if (local == *bytes) return payload;
  if (page.size() - at - local < 4) return "";
  uint64_t next = Number(page, at + local, 4);
  while (payload.size() < *bytes) {
    if (next == 0 || next > file.pages()) return "";
    const std::string overflow = file.Page(next);
    payload.append(overflow, 4, static_cast<size_t>(*bytes) - payload.size());
    next = Number(overflow, 0, 4);
  }
  return payload;
}

}  // namespace

void ForEachLeafRow(const std::string& path, const std::function<void(const std::vector<std::string>& texts)>& row) {
  PageFile file(path);
  for (uint64_t number = 1; number <= file.pages(); ++number) {
    const std::string page = file.Page(number);
    const size_t header = number == 1 ? 100 : 0;
    if (page[header] != kTableLeaf) continue;
    const size_t cells = std::min<size_t>(Number(page, header + 3, 2), (page.size() - header - 8) / 2);
    for (size_t i = 0; i < cells; ++i) {
      const size_t at = Number(page, header + 8 + 2 * i, 2);
      if (at >= page.size()) continue;
      const std::vector<std::string> texts = TextsOf(PayloadOf(file, page, at));
      if (!texts.empty()) row(texts);
    }
  }
}

}  // namespace hone
