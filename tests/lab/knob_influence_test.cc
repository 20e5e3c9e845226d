#include <gtest/gtest.h>

#include "lab/records/explain_record.h"

namespace hone {
namespace {

Record Timed(const std::string& config, int64_t ns) {
  Record record;
  record.candidate.workload = Workload::Parse("nn.dense data=1x64 weight=10x64");
  record.candidate.schedule = "dense_pack";
  record.candidate.config = Config::Parse(config);
  record.measurement.environment.cpu_model = "EPYC";
  record.measurement.environment.cpu_id = "AuthenticAMD-25-1-1";
  record.measurement.samples_ns = {ns + 5, ns};
  return record;
}

std::string Text(const std::vector<KnobValue>& knobs) {
  std::string text;
  for (const KnobValue& k : knobs) {
    text += k.knob + "=" + std::to_string(k.value) + ":" + std::to_string(k.records) + "@" + std::to_string(k.least_ns);
    text += k.own ? "! " : " ";
  }
  return text;
}

TEST(KnobInfluence, GivesTheBestWithEachValueTheStrongestKnobFirst) {
  const std::vector<Record> records = {Timed("a=1 b=1 c=7", 100), Timed("a=2 b=1 c=7", 110), Timed("a=1 b=2 c=7", 300),
                                       Timed("a=2 b=2 c=7", 250)};
  EXPECT_EQ(Text(KnobInfluence(records, records[1])), "b=1:2@100! b=2:2@250 a=1:2@100 a=2:2@110! ");
}

TEST(KnobInfluence, LooksAtComparableRecordsOnly) {
  const Record own = Timed("a=1", 100);
  std::vector<Record> others(8, Timed("a=2", 90));
  others[0].measurement.noisy = true;
  others[1].measurement.fate = Fate::kWrongOutput;
  others[2].measurement.environment.cpu_id = "AuthenticAMD-26-2-1";
  others[3].threads = 2;
  others[4].timing.cache = CacheMode::kWarm;
  others[5].candidate.schedule = "another";
  others[6].schedule_version = 2;
  others[7].candidate.target.cpu = "haswell";
  others.push_back(own);
  EXPECT_EQ(Text(KnobInfluence(others, own)), "");
  others.push_back(Timed("a=2", 90));
  EXPECT_EQ(Text(KnobInfluence(others, own)), "a=1:1@100! a=2:1@90 ");
}

}  // namespace
}  // namespace hone
