// The examples of docs/reference/formats.md are written and read by hone as shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "core/json/serialize.h"
#include "db/foreign/foreign_lines.h"
#include "db/foreign/record_exports.h"
#include "db/packs/take_pack.h"
#include "db/record_log.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The block of the page that begins with ```NAME. A line that the page breaks continues after a blank.
std::string Example(const std::string& name) {
  std::ifstream page(HONE_SOURCE_DIR "/docs/reference/formats.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      if (inside) return text;
      inside = line == "```" + name;
      continue;
    }
    if (!inside) continue;
    if (line.starts_with(' ')) {
      text.pop_back();
      line.erase(0, 1);
    }
    text += line + '\n';
  }
  ADD_FAILURE() << "the page has no block " << name;
  return "";
}

class FormatsPage : public testing::Test {
 protected:
  std::vector<Record> LoggedRecords() {
    std::istringstream log(Example("log"));
    const ImportCounts counts = ImportLog(log, "the page", *store_);
    for (const RefusedLine& refused : counts.refused) ADD_FAILURE() << refused.line << ": " << refused.reason;
    return store_->Find({});
  }

  StorePlace place_;
  std::unique_ptr<RecordStore> store_ = place_.Open();
};

TEST_F(FormatsPage, TheLogIsOneThatHoneWrites) {
  const std::vector<Record> records = LoggedRecords();
  ASSERT_EQ(records.size(), 1U);
  std::ostringstream log;
  WriteLog(records, log);
  EXPECT_EQ(log.str(), Example("log"));
}

TEST_F(FormatsPage, TheExportsAreThoseOfTheLog) {
  const std::vector<Record> records = LoggedRecords();
  EXPECT_EQ(ParseJson(Example("t4"), "t4"), KernelTunerT4(records));
  EXPECT_EQ(ParseJson(Example("google-benchmark"), "google-benchmark"), GoogleBenchmark(records));
}

TEST_F(FormatsPage, TheLineOfAnotherTunerIsRead) {
  const ForeignTrial trial = ForeignLines("the page").Read(Example("autotvm"));
  EXPECT_THAT(trial.workload, StartsWith("nn.dense data=16x96 weight=48x96 "));
  EXPECT_EQ(trial.config.ToText(), "oc_block=16 tile_m=4 unroll_ic=8");
}

TEST_F(FormatsPage, TheSignatureIsMadeByTheTrustedKey) {
  const std::string signature = Example("minisig");
  const TrustedKeys trusted = TrustedKeys::Parse(Example("trusted_packs"), "the page");
  const TrustedKey* signer = trusted.Find(SignerOf(signature));
  ASSERT_NE(signer, nullptr);
  EXPECT_EQ(signer->name, "team");
  EXPECT_THAT(signature, HasSubstr("\ntrusted comment: hone pack team serial "));
}

}  // namespace
}  // namespace hone
