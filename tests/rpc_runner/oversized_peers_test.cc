// Peers without keys that send more than a tracker accepts.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "tests/rpc_runner/network_fixture.h"
#include "tests/rpc_runner/raw_tcp.h"
#include "tests/support/resident_bytes.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A ZMTP 3.0 peer that has completed the handshake without keys, as a DEALER.
int ShakeHands(const std::string& address) {
  const int fd = ConnectRaw(address);
  std::string greeting("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL", 16);
  greeting.resize(64, '\0');
  const std::string ready(
      "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
      "DEALER",
      30);
  EXPECT_EQ(send(fd, greeting.data(), greeting.size(), MSG_NOSIGNAL), 64);
  EXPECT_EQ(send(fd, ready.data(), ready.size(), MSG_NOSIGNAL), 30);
  return fd;
}

// Returns false when the other side has closed the connection.
bool SendAll(int fd, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

bool IsClosedSoon(int fd) {
  const timeval patience{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  char bytes[4096];
  ssize_t n = 0;
  while ((n = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
  }
  return n == 0 || errno == ECONNRESET;
}

// A ZMTP frame's header with the length in 8 bytes.
std::string LongHead(char flags, uint64_t size) {
  std::string head(1, flags);
  for (int shift = 56; shift >= 0; shift -= 8) head += static_cast<char>(size >> shift);
  return head;
}

class OversizedPeers : public testing::Test {
 protected:
  void ExpectServed(int64_t before_bytes) const {
    EXPECT_NO_THROW(QueryTracker(tracker_.address(), 20 * kSecond));
    const int64_t grown_bytes = ResidentBytes() - before_bytes;
    std::printf("%.1f MiB more\n", static_cast<double>(grown_bytes) / (1 << 20));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(grown_bytes, int64_t{128} << 20);
#endif
  }
  const TrackerThread tracker_;
};

TEST_F(OversizedPeers, AMessageOfAMillionPartsEndsItsConnection) {
  const int64_t before_bytes = ResidentBytes();
  const int fd = ShakeHands(tracker_.address());
  std::string parts;
  for (int i = 0; i < 1'000'000; ++i) parts += std::string("\x01\x01x", 3);
  parts += std::string("\x00\x01x", 3);
  EXPECT_TRUE(SendAll(fd, parts));
  EXPECT_TRUE(IsClosedSoon(fd));
  close(fd);
  ExpectServed(before_bytes);
}

TEST_F(OversizedPeers, APartBeyondTheLimitEndsItsConnectionUnread) {
  for (const uint64_t size : {(uint64_t{64} << 20) + 1, uint64_t{4} << 30, UINT64_MAX >> 1, UINT64_MAX}) {
    const int64_t before_bytes = ResidentBytes();
    const int fd = ShakeHands(tracker_.address());
    EXPECT_TRUE(SendAll(fd, LongHead('\x02', size)));
    EXPECT_TRUE(IsClosedSoon(fd)) << size;
    close(fd);
    ExpectServed(before_bytes);
  }
}

TEST_F(OversizedPeers, TheLargestPartThatIsNoFrameIsAnswered) {
  const int64_t before_bytes = ResidentBytes();
  const int fd = ShakeHands(tracker_.address());
  const uint64_t size = uint64_t{64} << 20;
  EXPECT_TRUE(SendAll(fd, LongHead('\x02', size) + std::string(size, 'x')));
  std::string answer;
  const timeval patience{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  char bytes[4096];
  for (ssize_t n = 1; n > 0 && answer.find("bad_frame") == std::string::npos;) {
    n = recv(fd, bytes, sizeof(bytes), 0);
    if (n > 0) answer.append(bytes, static_cast<size_t>(n));
  }
  EXPECT_NE(answer.find("bad_frame"), std::string::npos);
  close(fd);
  ExpectServed(before_bytes);
}

}  // namespace
}  // namespace hone
