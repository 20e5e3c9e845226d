// Damaged lines of logs, hone's own and AutoTVM's, are refused with a reason or survive being written and read again.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "db/foreign/foreign_lines.h"
#include "db/record_log.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

constexpr int kLines = 5'000;

std::vector<std::string> ForeignSeeds() {
  std::ifstream in(std::string(HONE_TEST_DATA) + "/autotvm/templates.log");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Makes a number extreme, removes, doubles or moves a part, or flips bits.
std::string Damaged(std::string line, Random& random) {
  static constexpr std::string_view kWords[] = {"-1", "1e999", "9223372036854775807", "null", "[]", "{}", "\"\"", "0"};
  const size_t at = random.Below(line.size());
  const size_t size = 1 + random.Below(12);
  switch (random.Below(5)) {
    case 0:
      return line.substr(0, at);
    case 1:
      return line.erase(at, size);
    case 2:
      return line.insert(random.Below(line.size()), line.substr(at, size));
    case 3: {
      const size_t digit = line.find_first_of("0123456789\"", at);
      return digit == std::string::npos ? line : line.replace(digit, 1, kWords[random.Below(std::size(kWords))]);
    }
    default:
      line[at] ^= static_cast<char>(1 << random.Below(8));
      return line;
  }
}

template <typename Read>
bool Reads(const std::string& line, const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData) << line;
    EXPECT_FALSE(std::string_view(error.what()).empty()) << line;
  } catch (const std::exception& error) {
    ADD_FAILURE() << line << ": " << error.what();
  }
  return false;
}

// Reads the record; if only its id is wrong, reads it under the id that the refusal names.
Record Read(Json json) {
  try {
    return RecordFromJson(json);
  } catch (const Error& error) {
    constexpr std::string_view kBefore = "the content's id is ";
    const std::string_view why = error.what();
    const size_t at = why.find(kBefore);
    if (at == std::string_view::npos) throw;
    json["id"] = std::string(why.substr(at + kBefore.size()));
  }
  return RecordFromJson(json);
}

TEST(DamagedLog, OwnLinesAreRefusedOrRead) {
  const std::string seed = DumpJson(ToJson(SampleRecord(1)));
  Random random(17);
  int read = 0;
  for (int i = 0; i < kLines; ++i) {
    const std::string line = Damaged(seed, random);
    read += Reads(line, [&] {
      const Record record = Read(ParseJson(line, "the line"));
      EXPECT_EQ(RecordFromJson(ToJson(record)), record) << line;
    });
  }
  EXPECT_GT(read, kLines / 100);
  EXPECT_LT(read, kLines);
}

TEST(DamagedLog, ForeignLinesAreRefusedOrRead) {
  const std::vector<std::string> seeds = ForeignSeeds();
  ASSERT_FALSE(seeds.empty());
  Random random(18);
  ForeignLines lines("x.log");
  int read = 0;
  for (int i = 0; i < kLines; ++i) {
    const std::string line = Damaged(seeds[random.Below(seeds.size())], random);
    read += Reads(line, [&] { lines.Read(line); });
  }
  EXPECT_GT(read, kLines / 100);
  EXPECT_LT(read, kLines);
}

}  // namespace
}  // namespace hone
