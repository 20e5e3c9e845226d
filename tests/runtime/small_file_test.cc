#include "runtime/small_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace hone {
namespace {

class SmallFile : public testing::Test {
 protected:
  SmallFile() : folder_(std::filesystem::path(testing::TempDir()) / ("hone_small_file_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SmallFile() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& text) const {
    std::ofstream(folder_ / "file", std::ios::binary) << text;
    return folder_ / "file";
  }
  const std::filesystem::path folder_;
};

TEST_F(SmallFile, IsReadWhole) {
  const std::string text = std::string(10'000, 'x') + '\0' + "end\n";
  EXPECT_EQ(ReadSmallFile(Write(text)), text);
  EXPECT_EQ(ReadSmallFile(Write("")), "");
}

TEST_F(SmallFile, IsCutAtTheMostThatIsWanted) {
  const std::string text(10'000, 'x');
  EXPECT_EQ(ReadSmallFile(Write(text), 9'000), text.substr(0, 9'000));
  EXPECT_EQ(ReadSmallFile(Write(text), 0), "");
}

// The kernel reports no sizes for its files in /proc.
TEST_F(SmallFile, MayBeTheSystems) { EXPECT_GT(ReadSmallFile("/proc/self/stat").value_or("").size(), 10U); }

TEST_F(SmallFile, IsEmptyForAMissingFile) {
  EXPECT_EQ(ReadSmallFile(folder_ / "none"), std::nullopt);
  EXPECT_EQ(ReadSmallFile(folder_), std::nullopt);
  EXPECT_EQ(FirstLineOf(folder_ / "none"), "");
}

TEST_F(SmallFile, NeverWaitsForAWriter) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadSmallFile(pipe), "");
}

TEST_F(SmallFile, IsWrittenInPlaceOfAnother) {
  const std::string path = Write("a longer text than the other\n");
  ASSERT_TRUE(ReplaceSmallFile(path, "short"));
  EXPECT_EQ(ReadSmallFile(path), "short");
  EXPECT_FALSE(ReplaceSmallFile(folder_ / "none" / "file", "text"));
  EXPECT_FALSE(ReplaceSmallFile("/dev/full", "text")) << "it is written into";
}

TEST_F(SmallFile, HasAFirstLine) {
  EXPECT_EQ(FirstLineOf(Write("one\ntwo\n")), "one");
  EXPECT_EQ(FirstLineOf(Write("one")), "one");
  EXPECT_EQ(FirstLineOf(Write("\ntwo\n")), "");
}

}  // namespace
}  // namespace hone
