#include "core/hash/hash.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(Hash, GivesTheStandardsKnownAnswers) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every length that pads differently, at every alignment.
TEST(Hash, IsTheSameWithTheCpusInstructionsAndWithout) {
  std::string bytes(400, 0);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i + i / 7);
  for (size_t size = 0; size < 300; ++size) {
    const char* data = bytes.data() + size % 16;
    EXPECT_EQ(Sha256(data, size), Sha256InPlainCode(data, size)) << size;
  }
}

TEST(Hash, IsTheSameOfPieces) {
  std::string bytes(400, 0);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i + i / 7);
  for (size_t piece = 1; piece < 200; ++piece) {
    Sha256Stream stream;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_EQ(stream.Digest(), Sha256(bytes.data(), at)) << at << " bytes in pieces of " << piece;
      stream.Add(bytes.data() + at, std::min(piece, bytes.size() - at));
    }
    EXPECT_EQ(stream.Digest(), Sha256(bytes.data(), bytes.size())) << piece;
  }
}

}  // namespace
}  // namespace hone
