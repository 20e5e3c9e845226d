#include "rpc_runner/executor/memory/region_cache.h"

#include <gtest/gtest.h>

#include <cstring>

#include "rpc_runner/executor/job_data.h"
#include "rpc_runner/wire/blob_store.h"

namespace hone {
namespace {

TEST(SharedRegion, EndsAtAPagesEndAndGuardsItsSurroundings) {
  SharedRegion region(4 * 1000);
  EXPECT_EQ(region.data_offset() % 64, 0);
  EXPECT_LT(region.file_bytes() - region.data_offset() - region.size_bytes(), 64);
  region.Poison(0xFF);
  EXPECT_TRUE(region.CanaryHolds());
  region.data()[region.size_bytes()] = 0;
  EXPECT_FALSE(region.CanaryHolds());
  region.Poison(0xFF);
  region.data()[-1] = 0;
  EXPECT_FALSE(region.CanaryHolds());
}

TEST(SharedRegion, KeepsItsBytesWhileUnmapped) {
  SharedRegion region(5000);
  region.Poison(0x5A);
  region.Unmap();
  EXPECT_TRUE(region.CanaryHolds());
  EXPECT_EQ(region.data()[4999], 0x5A);
}

// Another job, perhaps another tuner's, may have had an operand of the same shape in another role.
TEST(InputFor, DrawsEachRoleItsOwnValues) {
  RegionCache cache(1 << 20);
  const KernelOperand data{OperandRole::kData, DType::kInt32, {4, 4}, {}};
  KernelOperand weight = data;
  weight.role = OperandRole::kWeight;
  const auto first = InputFor(cache, data, 0, 1), second = InputFor(cache, weight, 0, 1);
  EXPECT_NE(std::memcmp(first->data(), second->data(), static_cast<size_t>(first->size_bytes())), 0);
  EXPECT_EQ(InputFor(cache, weight, 0, 1), second);
}

TEST(RegionCache, DropsTheLeastRecentlyUsed) {
  RegionCache cache(3 * WholePages(1));
  for (const char* name : {"a", "b", "c"}) cache.Insert(name, std::make_shared<SharedRegion>(1));
  EXPECT_NE(cache.Find("a"), nullptr);
  cache.Insert("d", std::make_shared<SharedRegion>(1));
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.bytes(), 3 * WholePages(1));
}

TEST(RegionCache, KeepsTheNewestHoweverLarge) {
  RegionCache cache(1);
  cache.Insert("a", std::make_shared<SharedRegion>(1));
  EXPECT_NE(cache.Find("a"), nullptr);
}

TEST(BlobStore, DropsTheLeastRecentlyUsed) {
  BlobStore store(10);
  store.Insert("a", "12345");
  store.Insert("b", "12345");
  EXPECT_NE(store.Find("a"), nullptr);
  store.Insert("c", "12345");
  EXPECT_EQ(store.Find("b"), nullptr);
  EXPECT_EQ(*store.Find("a"), "12345");
}

}  // namespace
}  // namespace hone
