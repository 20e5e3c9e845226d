#include "lab/model/lengths_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"

namespace hone {
namespace {

std::vector<RunLength> Read(const std::string& text) {
  const std::string path = testing::TempDir() + "lengths.txt";
  std::ofstream(path) << text;
  return ReadLengths(path);
}

TEST(ReadLengths, TakesALineForEachLength) {
  EXPECT_EQ(Read("57 1200\n\n# of batches\n  batch=4,seq=57\t3\r\n8 1"),
            (std::vector<RunLength>{{{{"", 57}}, 1200}, {{{"batch", 4}, {"seq", 57}}, 3}, {{{"", 8}}, 1}}));
}

TEST(ReadLengths, NamesTheLineThatIsWrong) {
  for (const char* line : {"57", "57 0", "57 -1", "57 x", "x 5", "=5 1", "seq= 5", "-1 5", "5 5 5", "1,2 5",
                           "seq=1,seq=2 5", "5.5 1", "99999999999999999999 1"}) {
    try {
      Read(std::string("8 1\n") + line + "\n");
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_NE(std::string(error.what()).find("lengths.txt, line 2: \""), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(Read("# nothing\n"), Error);
}

}  // namespace
}  // namespace hone
