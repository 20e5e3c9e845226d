#include "rpc_runner/wire/protocol.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"

namespace hone {
namespace {

const std::string kLease = "000102030405060708090a0b0c0d0e0f";

Frame Sample() { return {FrameKind::kJob, {{"job", 7}, {"text", "a"}}, {"first part", "", "third"}, kLease}; }

// The bytes of Sample, made by another program from docs/reference/protocol.md.
constexpr const char* kGolden =
    "484f4e460200280036200fcd1400000003000000000102030405060708090a0b0c0d0e0f0a0000000000000000000000"
    "0000000005000000000000007b226a6f62223a372c2274657874223a2261227d666972737420706172747468697264";

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

TEST(Frame, HasTheBytesOfTheDocs) { EXPECT_EQ(Hex(EncodeFrame(Sample())), kGolden); }

TEST(Frame, ComesBackAsItWas) {
  const Frame frame = DecodeFrame(EncodeFrame(Sample()));
  EXPECT_EQ(frame.kind, FrameKind::kJob);
  EXPECT_EQ(frame.header, Sample().header);
  EXPECT_EQ(frame.parts, Sample().parts);
  EXPECT_EQ(frame.lease, kLease);
  EXPECT_EQ(DecodeFrame(EncodeFrame({FrameKind::kHello, Json::object(), {}})).lease, "");
}

TEST(Frame, TellsWhereItGoesWithoutBeingRead) {
  std::string bytes = EncodeFrame(Sample());
  bytes.back() = 'x';
  bytes[bytes.size() - 20] = '\n';
  const FrameHead head = ReadFrameHead(bytes);
  EXPECT_EQ(head.kind, FrameKind::kJob);
  EXPECT_EQ(head.lease, kLease);
  EXPECT_THROW(DecodeFrame(bytes), Error);
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_THROW(ReadFrameHead(bytes.substr(0, length)), Error);
}

TEST(Frame, RefusesLeasesOfAnotherForm) {
  for (const std::string lease : {"abc", "000102030405060708090A0B0C0D0E0F", "000102030405060708090a0b0c0d0e0f00"}) {
    Frame frame = Sample();
    frame.lease = lease;
    EXPECT_THROW(EncodeFrame(frame), Error) << lease;
  }
}

TEST(Frame, IsRefusedWhenCutAnywhere) {
  const std::string bytes = EncodeFrame(Sample());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(DecodeFrame(bytes.substr(0, length)), Error) << length;
  EXPECT_THROW(DecodeFrame(bytes + "x"), Error);
}

TEST(Frame, IsRefusedWhenAnyBitIsFlipped) {
  const std::string bytes = EncodeFrame(Sample());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(DecodeFrame(damaged), Error) << "bit " << bit;
  }
}

TEST(Frame, OfAnotherVersionIsRefusedByName) {
  std::string bytes = EncodeFrame(Sample());
  EXPECT_FALSE(IsOtherVersion(bytes));
  bytes[4] = 9;
  EXPECT_TRUE(IsOtherVersion(bytes));
  try {
    DecodeFrame(bytes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "protocol version 9 was received; this program speaks version 2");
  }
}

TEST(Frame, BombsAreRefusedByTheirFixedFields) {
  std::string bytes = EncodeFrame(Sample());
  std::string parts = bytes;
  parts[17] = 1;
  EXPECT_THROW(ReadFrameSizes(parts), Error);
  std::string header = bytes;
  header[15] = 127;
  EXPECT_THROW(ReadFrameSizes(header), Error);
  EXPECT_THROW(ReadPartBytes(std::string(8, '\xff')), Error);
  EXPECT_THROW(EncodeFrame({FrameKind::kJob, Json::object(), std::vector<std::string>(9)}), Error);
}

TEST(Frame, FieldsFromOutsideAreChecked) {
  const Json header = {{"text", "a"}, {"number", 3}, {"negative", -1}, {"object", Json::object()}};
  EXPECT_EQ(HeaderText(header, "text"), "a");
  EXPECT_EQ(HeaderNumber(header, "number"), 3u);
  EXPECT_THROW(HeaderNumber(header, "negative"), Error);
  EXPECT_THROW(HeaderNumber(header, "text"), Error);
  EXPECT_THROW(HeaderText(header, "absent"), Error);
  EXPECT_THROW(HeaderObject(header, "text"), Error);
}

TEST(FrameStream, CarriesFramesAndSeesTheEnd) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  ASSERT_TRUE(WriteFrame(fds[0], Sample()));
  ASSERT_TRUE(WriteFrame(fds[0], Sample()));
  Frame frame;
  ASSERT_TRUE(ReadFrame(fds[1], &frame));
  ASSERT_TRUE(ReadFrame(fds[1], &frame));
  EXPECT_EQ(frame.parts, Sample().parts);
  const std::string cut = EncodeFrame(Sample()).substr(0, 30);
  ASSERT_EQ(send(fds[0], cut.data(), cut.size(), 0), 30);
  close(fds[0]);
  EXPECT_FALSE(ReadFrame(fds[1], &frame));
  close(fds[1]);
}

}  // namespace
}  // namespace hone
