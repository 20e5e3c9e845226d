#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "lab/files/write_file.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

constexpr size_t kPiece = size_t{1} << 16;

std::string Bytes(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * 131 % 251);
  return bytes;
}

TEST(PipedOutput, PassesOnWhatIsWrittenInPiecesAndHoldsNoMoreThanOne) {
  for (const size_t count : {size_t{0}, size_t{1}, kPiece - 1, kPiece, kPiece + 1, 5 * kPiece + 7}) {
    const std::string bytes = Bytes(count);
    std::string got;
    size_t most = 0, written = 0, held = 0;
    WriteThrough(
        [&](std::string_view piece) {
          most = std::max(most, piece.size());
          got += piece;
        },
        [&](std::ostream& out) {
          for (size_t i = 0; i < bytes.size(); i += 1000) {
            const std::string part = bytes.substr(i, 1000);
            out << part;
            written += part.size();
            held = std::max(held, written - got.size());
          }
        });
    EXPECT_EQ(got, bytes) << count;
    EXPECT_LE(most, kPiece);
    EXPECT_LE(held, kPiece);
  }
}

TEST(PipedOutput, WhatTheSinkThrowsComesToTheWriter) {
  const auto full = [](std::string_view) { throw Error(ExitCode::kIo, "the disk is full"); };
  int lines = 0;
  const auto write = [&](std::ostream& out) {
    for (; lines < 1000; ++lines) out << std::string(1000, 'x');
  };
  try {
    WriteThrough(full, write);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_LT(lines, 1000) << "it was told at once";
}

TEST(PipedOutput, AFileWhoseWriterFailsHalfwayStaysAsItWas) {
  const TempFolder folder;
  const std::string path = folder.File("a.log");
  WriteBytes(path, "before");
  const StreamWriter broken = [](std::ostream& out) {
    out << std::string(3 * kPiece, 'x');
    throw Error(ExitCode::kBadData, "a page is damaged");
  };
  EXPECT_THROW(WriteFileAtomically(path, broken), Error);
  EXPECT_EQ(ReadBytes(path), "before");
  const std::filesystem::directory_iterator files(folder.File(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "no temporary file is left";
  const std::string bytes = Bytes(3 * kPiece + 5);
  WriteFileAtomically(path, [&](std::ostream& out) { out << bytes; });
  EXPECT_EQ(ReadBytes(path), bytes);
}

}  // namespace
}  // namespace hone
