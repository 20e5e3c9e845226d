#include "rpc_runner/wire/frame_stream.h"

#include <sys/socket.h>

#include <cerrno>

namespace hone {
namespace {

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
