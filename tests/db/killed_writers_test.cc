// Eight writers of one store, killed at any moment, over and over.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>

#include "db/care/store_care.h"
#include "tests/db/forked_writer.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

constexpr int kWriters = 8;
constexpr int kApart = 1'000'000;

TEST(KilledWriters, LoseNothingThatWasAcknowledged) {
  const StorePlace place;
  place.Open();
  const int kills = std::getenv("HONE_SOAK") != nullptr ? 200 : 10;
  const Acknowledgements acknowledged;
  std::vector<int> numbers;
  std::vector<pid_t> writers;
  std::mt19937_64 random(1);
  int started = 0;
  const auto start = [&] {
    const int first = started++ * kApart;
    return Fork(
        [&place, &acknowledged, first] { return WriteUntilEnough(place.where(), first, kApart, acknowledged); });
  };
  while (writers.size() < kWriters) writers.push_back(start());
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    // Enough records are acknowledged between two kills that each writer may be at any point.
    for (const size_t enough = numbers.size() + 8 + random() % 16; numbers.size() < enough;) {
      const std::vector<int> more = acknowledged.Read(60'000);
      ASSERT_FALSE(more.empty()) << "no writer gets on";
      numbers.insert(numbers.end(), more.begin(), more.end());
    }
    pid_t& victim = writers[random() % kWriters];
    kill(victim, SIGKILL);
    EXPECT_EQ(StatusOf(victim), -SIGKILL);
    victim = start();
  }
  for (const pid_t writer : writers) {
    kill(writer, SIGKILL);
    StatusOf(writer);
  }
  const std::vector<int> rest = acknowledged.Read(0);
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  EXPECT_EQ(CheckStore(place.where()).problems, std::vector<std::string>());
  std::set<std::string> kept;
  for (const std::string& id : place.Open()->Ids(0, INT64_MAX)) kept.insert(id);
  for (const int number : numbers) EXPECT_TRUE(kept.contains(SampleRecord(number).id)) << number;
}

}  // namespace
}  // namespace hone
