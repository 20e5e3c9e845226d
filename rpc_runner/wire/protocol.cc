#include "rpc_runner/wire/protocol.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/text/printable.h"

namespace hone {
namespace {

constexpr std::string_view kMagic = "HONF";
constexpr size_t kCrcBegin = 12;  // the first byte after the crc field
constexpr size_t kLeaseBegin = 20;
constexpr std::string_view kDigits = "0123456789abcdef";

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

uint32_t AddToCrc(uint32_t crc, std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeCrcTable();
  for (char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
  return crc;
}

uint32_t FrameCrc(std::string_view frame) {
  return ~AddToCrc(AddToCrc(~uint32_t{0}, frame.substr(6, 2)), frame.substr(kCrcBegin));
}

void Put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t Get(std::string_view bytes, size_t at, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

// Packs a lease's name into 16 bytes; zeros for the empty name.
std::string PackLease(std::string_view name) {
  std::string bytes(kLeaseDigits / 2, '\0');
  if (name.empty()) return bytes;
  const bool is_name = name.size() == kLeaseDigits && name.find_first_not_of(kDigits) == name.npos;
  if (!is_name) throw Error(ExitCode::kBug, fmt::format("\"{}\" is not the name of a lease", name));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(16 * kDigits.find(name[2 * i]) + kDigits.find(name[2 * i + 1]));
  }
  return bytes;
}

std::string UnpackLease(std::string_view bytes) {
  if (bytes.find_first_not_of('\0') == bytes.npos) return "";
  std::string name;
  for (const char byte : bytes) {
    name += kDigits[static_cast<uint8_t>(byte) >> 4];
    name += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return name;
}

[[noreturn]] void Bad(std::string_view why) { throw Error(ExitCode::kBadData, fmt::format("bad frame: {}", why)); }

bool IsKnownKind(uint64_t kind) {
  return kind == 1 || kind == 2 || (kind >= 10 && kind <= 14) || (kind >= 20 && kind <= 23) ||
         (kind >= 30 && kind <= 32) || (kind >= 40 && kind <= 45);
}

void CheckLimits(const Frame& frame, size_t header_bytes) {
  size_t total = kFrameFixedBytes + header_bytes;
  bool fits = frame.parts.size() <= kMaxParts && header_bytes <= kMaxHeaderBytes;
  for (const std::string& part : frame.parts) {
    fits = fits && part.size() <= kMaxPartBytes;
    total += 8 + part.size();
  }
  if (!fits || total > kMaxFrameBytes) throw Error(ExitCode::kBug, "a frame is beyond the protocol's limits");
}

FrameSizes CheckLength(std::string_view bytes) {
  const FrameSizes sizes = ReadFrameSizes(bytes);
  const size_t body = kFrameFixedBytes + sizes.table_bytes;
  if (bytes.size() < body) Bad("it ends within its table of parts");
  const size_t parts = ReadPartBytes(bytes.substr(kFrameFixedBytes, sizes.table_bytes));
  if (bytes.size() != body + sizes.header_bytes + parts) Bad("its length is not the sum of its fields");
  return sizes;
}

FrameHead HeadOf(std::string_view bytes) {
  return {static_cast<FrameKind>(Get(bytes, 6, 2)), UnpackLease(bytes.substr(kLeaseBegin, kLeaseDigits / 2))};
}

const Json& TypedField(const Json& header, const char* name, bool (Json::*is_type)() const noexcept, const char* type) {
  const auto it = header.find(name);
  if (it == header.end() || !((*it).*is_type)()) Bad(fmt::format("field \"{}\" should be {}", name, type));
  return *it;
}

// Appends exactly `count` bytes.
bool ReadMore(int fd, size_t count, std::string* bytes) {
  const size_t begin = bytes->size();
  bytes->resize(begin + count);
  size_t got = 0;
  while (got < count) {
    const ssize_t n = recv(fd, bytes->data() + begin + got, count - got, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::string EncodeFrame(const Frame& frame) {
  const std::string header = DumpJson(frame.header);
  CheckLimits(frame, header.size());
  std::string out(kMagic);
  Put(out, kProtocolVersion, 2);
  Put(out, static_cast<uint64_t>(frame.kind), 2);
  Put(out, 0, 4);
  Put(out, header.size(), 4);
  Put(out, frame.parts.size(), 4);
  out += PackLease(frame.lease);
  for (const std::string& part : frame.parts) Put(out, part.size(), 8);
  out += header;
  for (const std::string& part : frame.parts) out += part;
  std::string crc;
  Put(crc, FrameCrc(out), 4);
  out.replace(8, 4, crc);
  return out;
}

bool IsOtherVersion(std::string_view bytes) {
  return bytes.size() >= 6 && bytes.substr(0, 4) == kMagic && Get(bytes, 4, 2) != kProtocolVersion;
}

FrameSizes ReadFrameSizes(std::string_view fixed) {
  if (fixed.size() < 6 || fixed.substr(0, 4) != kMagic) Bad("it does not begin with HONF");
  if (IsOtherVersion(fixed)) {
    throw Error(ExitCode::kBadData, fmt::format("protocol version {} was received; this program speaks version {}",
                                                Get(fixed, 4, 2), kProtocolVersion));
  }
  if (fixed.size() < kFrameFixedBytes) Bad("it ends within its fixed fields");
  if (!IsKnownKind(Get(fixed, 6, 2))) Bad(fmt::format("no message is of kind {}", Get(fixed, 6, 2)));
  const uint64_t header_bytes = Get(fixed, 12, 4);
  const uint64_t parts = Get(fixed, 16, 4);
  if (header_bytes > kMaxHeaderBytes) Bad(fmt::format("its header has {} bytes", header_bytes));
  if (parts > kMaxParts) Bad(fmt::format("it has {} parts, at most {} are allowed", parts, kMaxParts));
  return {static_cast<size_t>(8 * parts), static_cast<size_t>(header_bytes)};
}

size_t ReadPartBytes(std::string_view table) {
  uint64_t sum = 0;
  for (size_t at = 0; at + 8 <= table.size(); at += 8) {
    const uint64_t bytes = Get(table, at, 8);
    if (bytes > kMaxPartBytes) Bad(fmt::format("a part has {} bytes, at most {} are allowed", bytes, kMaxPartBytes));
    sum += bytes;
  }
  if (sum > kMaxFrameBytes - kMaxHeaderBytes - kFrameFixedBytes - 8 * kMaxParts) Bad("its parts are too long together");
  return static_cast<size_t>(sum);
}

FrameHead ReadFrameHead(std::string_view bytes) {
  CheckLength(bytes);
  return HeadOf(bytes);
}

Frame DecodeFrame(std::string_view bytes) {
  const FrameSizes sizes = CheckLength(bytes);
  const std::string_view table = bytes.substr(kFrameFixedBytes, sizes.table_bytes);
  size_t at = kFrameFixedBytes + sizes.table_bytes;
  if (Get(bytes, 8, 4) != FrameCrc(bytes)) Bad("its checksum does not match");
  Frame frame;
  FrameHead head = HeadOf(bytes);
  frame.kind = head.kind;
  frame.lease = std::move(head.lease);
  frame.header = ParseJson(bytes.substr(at, sizes.header_bytes), "a frame's header");
  if (!frame.header.is_object()) Bad("its header is not a JSON object");
  at += sizes.header_bytes;
  for (size_t i = 0; i < sizes.table_bytes; i += 8) {
    frame.parts.emplace_back(bytes.substr(at, Get(table, i, 8)));
    at += frame.parts.back().size();
  }
  return frame;
}

Frame ErrorFrame(std::string_view code, std::string_view message) {
  return {FrameKind::kError, {{"code", code}, {"message", Shortened(message, kMaxErrorBytes)}}, {}};
}

std::string HeaderText(const Json& header, const char* name) {
  const auto& text = TypedField(header, name, &Json::is_string, "a text").get_ref<const std::string&>();
  if (text.size() > kMaxTextBytes) {
    Bad(fmt::format("field \"{}\" has {} bytes, at most {} are allowed", name, text.size(), kMaxTextBytes));
  }
  return text;
}

uint64_t HeaderNumber(const Json& header, const char* name) {
  const Json& field = TypedField(header, name, &Json::is_number_integer, "an unsigned number");
  if (!field.is_number_unsigned() && field.get<int64_t>() < 0) Bad(fmt::format("field \"{}\" is negative", name));
  return field.get<uint64_t>();
}

const Json& HeaderObject(const Json& header, const char* name) {
  return TypedField(header, name, &Json::is_object, "an object");
}

std::vector<uint64_t> HeaderNumbers(const Json& header, const char* name) {
  std::vector<uint64_t> numbers;
  const auto list = header.find(name);
  if (list == header.end() || !list->is_array()) return numbers;
  for (const Json& number : *list) {
    if (number.is_number_unsigned()) numbers.push_back(number.get<uint64_t>());
  }
  return numbers;
}

bool WriteFrame(int fd, const Frame& frame) {
  const std::string bytes = EncodeFrame(frame);
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

bool ReadFrame(int fd, Frame* frame) {
  std::string bytes;
  if (!ReadMore(fd, kFrameFixedBytes, &bytes)) return false;
  const FrameSizes sizes = ReadFrameSizes(bytes);
  if (!ReadMore(fd, sizes.table_bytes, &bytes)) return false;
  const size_t part_bytes = ReadPartBytes(std::string_view(bytes).substr(kFrameFixedBytes));
  if (!ReadMore(fd, sizes.header_bytes + part_bytes, &bytes)) return false;
  *frame = DecodeFrame(bytes);
  return true;
}

}  // namespace hone
