#include "db/record_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

constexpr const char* kHeader = "{\"format\":\"hone-log\",\"version\":1}\n";

class RecordLogTest : public testing::Test {
 protected:
  ImportCounts Import(const std::string& text) {
    std::istringstream in(text);
    return ImportLog(in, "x.log", *store_);
  }
  std::string Export() {
    std::ostringstream out;
    ExportLog(*store_, RecordQuery{}, out);
    return out.str();
  }
  static std::string Line(int number) { return DumpJson(ToJson(SampleRecord(number))) + "\n"; }

  TempFolder folder_;
  StorePlace place_;
  std::unique_ptr<RecordStore> store_ = place_.Open();
};

TEST_F(RecordLogTest, ExportThenImportGivesTheSameStore) {
  store_->Append(SampleRecords(300));
  const std::string log = Export();
  const auto other = RecordStore::Open(folder_.File("other.db"));
  std::istringstream in(log);
  EXPECT_EQ(ImportLog(in, "x", *other).fresh, 300);
  EXPECT_EQ(other->Find({}), store_->Find({}));
}

TEST_F(RecordLogTest, ExportFollowsTheQuery) {
  store_->Append(SampleRecords(3));
  std::ostringstream out;
  EXPECT_EQ(ExportLog(*store_, RecordQuery{.limit = 2}, out), 2);
  EXPECT_EQ(out.str(), kHeader + Line(0) + Line(1));
}

TEST_F(RecordLogTest, ImportingTwiceChangesNothing) {
  const std::string log = kHeader + Line(1) + Line(2);
  EXPECT_EQ(Import(log).fresh, 2);
  const std::string before = Export();
  const ImportCounts again = Import(log);
  EXPECT_EQ(again.fresh, 0);
  EXPECT_EQ(again.known, 2);
  EXPECT_EQ(Export(), before);
}

TEST_F(RecordLogTest, BadLinesAreRefusedWithTheirNumberAndTheRestIsRead) {
  std::string forged = Line(2);
  forged.replace(forged.find("1002"), 4, "0002");
  std::string unknown = Line(5);
  unknown.insert(1, "\"colour\":1,");
  const ImportCounts counts = Import(kHeader + Line(1) + "not json\n" + forged + "{}\n[1]\n" + Line(3).substr(0, 200) +
                                     "\n" + Line(4) + "{\"a\":NaN}\n" + std::string(17 << 20, 'x') + "\n" + unknown);
  EXPECT_EQ(counts.fresh, 3);
  std::vector<int64_t> lines;
  for (const RefusedLine& refused : counts.refused) {
    EXPECT_EQ(refused.file, "x.log");
    EXPECT_FALSE(refused.reason.empty());
    EXPECT_LE(refused.reason.size(), 300U);
    lines.push_back(refused.line);
  }
  EXPECT_EQ(lines, (std::vector<int64_t>{3, 4, 5, 6, 7, 9, 10}));
}

TEST_F(RecordLogTest, AcceptsCrlfByteOrderMarkAndEmptyLines) {
  std::string record = Line(1);
  record.insert(record.size() - 1, "\r");
  EXPECT_EQ(Import("\xEF\xBB\xBF{\"format\":\"hone-log\",\"version\":1}\r\n\r\n" + record).fresh, 1);
}

TEST_F(RecordLogTest, AcceptsLogsPutOneBehindTheOther) {
  EXPECT_EQ(Import(kHeader + Line(1) + kHeader + Line(2)).fresh, 2);
}

TEST_F(RecordLogTest, RefusesOtherVersionsAndFormatsUntilTheNextHeader) {
  const std::string newer = "{\"format\":\"hone-log\",\"version\":2}\n";
  const ImportCounts counts = Import(newer + Line(1) + Line(2) + kHeader + Line(3));
  EXPECT_EQ(counts.fresh, 1);
  ASSERT_EQ(counts.refused.size(), 1U);
  EXPECT_EQ(counts.refused[0].line, 1);
  EXPECT_NE(counts.refused[0].reason.find("version 2"), std::string::npos);
  EXPECT_EQ(Import(Line(1)).fresh, 0);
  EXPECT_EQ(Import("{\"format\":\"other\",\"version\":1}\n" + Line(1)).fresh, 0);
  EXPECT_EQ(Import("garbage\n" + Line(1)).refused.size(), 1U);
  EXPECT_EQ(Import("").fresh, 0);
}

TEST_F(RecordLogTest, ACutLosesAtMostTheRecordItCuts) {
  const std::string log = kHeader + Line(1) + Line(2);
  const size_t second = log.size() - Line(2).size();
  for (size_t cut = 0; cut <= log.size(); cut += cut % 50 == 0 ? 1 : 7) {
    const ImportCounts counts = Import(log.substr(0, cut));
    const int64_t whole = cut + 1 >= log.size() ? 2 : (cut + 1 >= second ? 1 : 0);
    EXPECT_EQ(counts.fresh + counts.known, whole) << cut;
    EXPECT_LE(counts.refused.size(), 1U) << cut;
  }
}

TEST_F(RecordLogTest, AStreamThatFailsIsAnError) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW(ExportLog(*store_, RecordQuery{}, out), Error);
}

}  // namespace
}  // namespace hone
