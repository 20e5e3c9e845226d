#include "db/record_layers.h"

#include <gtest/gtest.h>

#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

class RecordLayersTest : public testing::Test {
 protected:
  std::unique_ptr<RecordLayer> Store(const std::vector<Record>& records) {
    places_.push_back(std::make_unique<StorePlace>());
    std::shared_ptr<RecordStore> store = places_.back()->Open();
    store->Append(records);
    return StoreLayer(std::move(store));
  }
  // Ids in order of arrival, each with its origin.
  static std::string Text(const RecordLayers& layers) {
    std::string text;
    int64_t last = 0;
    for (const BestRow& row : layers.Rows(kSampleWorkload)) {
      EXPECT_GT(row.seq, last);
      last = row.seq;
      text += row.id.text().substr(0, 4) + " " + layers.OriginOf(row) + "\n";
    }
    return text;
  }
  static std::string Line(int number, const std::string& origin) {
    return SampleRecord(number).id.substr(0, 4) + " " + origin + "\n";
  }

  std::vector<std::unique_ptr<StorePlace>> places_;
};

TEST_F(RecordLayersTest, WithoutLayersThereIsNothing) {
  EXPECT_TRUE(RecordLayers().empty());
  EXPECT_TRUE(RecordLayers().Rows(kSampleWorkload).empty());
}

TEST_F(RecordLayersTest, TheNearestLayerCountsAsTheLatest) {
  RecordLayers layers;
  layers.Add("store", Store({SampleRecord(1), SampleRecord(2)}));
  layers.Add("hub", FixedLayer({SampleRecord(3)}));
  EXPECT_EQ(Text(layers), Line(3, "hub") + Line(1, "store") + Line(2, "store"));
}

TEST_F(RecordLayersTest, RowsKnowHowFarTheirLayerReaches) {
  RecordLayers layers;
  layers.Add("hub", FixedLayer({SampleRecord(3)}), RecordLayers::Reach::kOwnKind);
  ASSERT_EQ(layers.Rows(kSampleWorkload).size(), 1U);
  EXPECT_TRUE(layers.Rows(kSampleWorkload)[0].own_kind);
  layers.Add("store", Store({SampleRecord(1)}));
  EXPECT_FALSE(layers.Rows(kSampleWorkload)[0].own_kind);
  EXPECT_TRUE(layers.Rows(kSampleWorkload)[1].own_kind);
}

TEST_F(RecordLayersTest, WhatSeveralHoldIsTheNearests) {
  RecordLayers layers;
  layers.Add("store", Store({SampleRecord(1)}));
  layers.Add("project", Store({SampleRecord(2), SampleRecord(1)}));
  EXPECT_EQ(Text(layers), Line(2, "project") + Line(1, "store"));
  EXPECT_EQ(layers.Get(SampleRecord(2).id), SampleRecord(2));
  EXPECT_FALSE(layers.Get("0123456789abcdef"));
  EXPECT_EQ(layers.Workloads(), std::vector<std::string>{kSampleWorkload});
}

TEST_F(RecordLayersTest, AStoresRowsAgreeWithItsRecords) {
  std::vector<Record> records = SampleRecords(4);
  records[1].measurement.fate = Fate::kCrashed;
  records[1].measurement.samples_ns.clear();
  records[1].measurement.batch.clear();
  records[2].measurement.noisy = true;
  records[3].finals = {1, 2, 3, false, 0};
  records[3].candidate.target.features = {"-avx512f"};
  for (Record& record : records) record = Finish(record);
  const auto rows = Store(records)->Rows(kSampleWorkload);
  const auto fixed = FixedLayer(records)->Rows(kSampleWorkload);
  ASSERT_EQ(rows.size(), 4U);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], fixed[i]) << i;
}

}  // namespace
}  // namespace hone
