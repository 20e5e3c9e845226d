#include <gtest/gtest.h>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/executor/memory/region_cache.h"

namespace hone {
namespace {

const std::string kBytes = "0123456789";
const std::string kName = Sha256Hex(kBytes);

void TakeAll(BlobCache& cache, const std::string& bytes) {
  cache.Take({Sha256Hex(bytes), 0, bytes}, static_cast<int64_t>(bytes.size()));
}

TEST(BlobCache, PutsPiecesTogether) {
  BlobCache cache(1 << 20);
  EXPECT_EQ(cache.ReceivedBytes(kName), 0);
  cache.Take({kName, 0, "0123"}, 10);
  EXPECT_EQ(cache.ReceivedBytes(kName), 4);
  EXPECT_EQ(cache.Find(kName), nullptr);
  cache.Take({kName, 4, "456789"}, 10);
  ASSERT_NE(cache.Find(kName), nullptr);
  EXPECT_EQ(std::string(cache.Find(kName)->data(), 10), kBytes);
}

TEST(BlobCache, PassesOverWhatBeginsElsewhere) {
  BlobCache cache(1 << 20);
  cache.Take({kName, 4, "4567"}, 10);
  EXPECT_EQ(cache.ReceivedBytes(kName), 0);
  cache.Take({kName, 0, "0123"}, 10);
  cache.Take({kName, 0, "xxxx"}, 10);
  cache.Take({kName, 5, "56789"}, 10);
  EXPECT_EQ(cache.ReceivedBytes(kName), 4);
}

TEST(BlobCache, ForgetsBytesOfAnotherHash) {
  BlobCache cache(1 << 20);
  cache.Take({kName, 0, "0123"}, 10);
  EXPECT_THROW(cache.Take({kName, 4, "forged"}, 10), Error);
  EXPECT_EQ(cache.ReceivedBytes(kName), 0);
  EXPECT_EQ(cache.bytes(), 0);
}

TEST(BlobCache, ForgetsWhatHasNotAllComeAndKeepsTheRest) {
  BlobCache cache(1 << 20);
  TakeAll(cache, "whole");
  cache.Take({kName, 0, "0123"}, 10);
  cache.Take({Sha256Hex("other"), 0, "xxxx"}, 5);
  cache.ForgetPartial();
  EXPECT_EQ(cache.ReceivedBytes(kName), 0);
  EXPECT_EQ(cache.ReceivedBytes(Sha256Hex("other")), 0);
  EXPECT_EQ(cache.bytes(), 5);
  EXPECT_NE(cache.Find(Sha256Hex("whole")), nullptr);
  TakeAll(cache, kBytes);
  EXPECT_NE(cache.Find(kName), nullptr);
}

TEST(BlobCache, TakesNothingPastTheEnd) {
  BlobCache cache(1 << 20);
  EXPECT_THROW(cache.Take({kName, 0, kBytes + "x"}, 10), Error);
  EXPECT_THROW(cache.Take({kName, 0, ""}, 10), Error);
  EXPECT_EQ(cache.ReceivedBytes(kName), 0);
}

TEST(BlobCache, BeginsAnewWhenTheSizeIsAnotherOne) {
  BlobCache cache(1 << 20);
  cache.Take({kName, 0, "012"}, 1000);
  cache.Take({kName, 0, "0123"}, 10);
  EXPECT_EQ(cache.ReceivedBytes(kName), 4);
  EXPECT_EQ(cache.bytes(), 10);
  cache.Take({kName, 4, "456789"}, 10);
  // A complete blob has passed its hash, so a later claim about its size is ignored.
  cache.Take({kName, 0, "0123"}, 1000);
  EXPECT_NE(cache.Find(kName), nullptr);
}

TEST(BlobCache, DropsWhatWasUsedLeast) {
  BlobCache cache(25);
  TakeAll(cache, kBytes);
  TakeAll(cache, "second....");
  EXPECT_NE(cache.Find(kName), nullptr);
  const auto held = cache.Find(Sha256Hex("second...."));
  EXPECT_NE(cache.Find(kName), nullptr);
  TakeAll(cache, "third.....");
  EXPECT_EQ(cache.Find(Sha256Hex("second....")), nullptr);
  EXPECT_EQ(std::string(held->data(), 10), "second....");
  EXPECT_NE(cache.Find(kName), nullptr);
  EXPECT_EQ(cache.bytes(), 20);
  const std::string large(100, 'l');
  TakeAll(cache, large);
  EXPECT_NE(cache.Find(Sha256Hex(large)), nullptr);
  EXPECT_EQ(cache.Find(kName), nullptr);
}

}  // namespace
}  // namespace hone
