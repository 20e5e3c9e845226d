#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/plan/lower.h"
#include "core/random.h"

namespace hone::testing {
namespace {

struct Life {
  int first = -1;
  int last = -1;
};

std::vector<Life> LivesOf(const Plan& plan) {
  std::vector<Life> lives(plan.buffers.size());
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    for (const PlanView& view : plan.calls[i].operands) {
      Life& life = lives[static_cast<size_t>(view.buffer)];
      if (life.first < 0) life.first = static_cast<int>(i);
      life.last = static_cast<int>(i);
    }
  }
  return lives;
}

void ExpectNoOverlap(const Plan& plan) {
  const std::vector<Life> lives = LivesOf(plan);
  for (size_t a = 0; a < plan.buffers.size(); ++a) {
    const PlanBuffer& x = plan.buffers[a];
    if (lives[a].first < 0 || x.kind != BufferKind::kArena) continue;
    EXPECT_EQ(x.offset_bytes % 64, 0);
    EXPECT_LE(x.offset_bytes + x.size_bytes, plan.arena_bytes);
    for (size_t b = 0; b < a; ++b) {
      const PlanBuffer& y = plan.buffers[b];
      if (lives[b].first < 0 || y.kind != BufferKind::kArena) continue;
      const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
      const bool meet =
          x.offset_bytes < y.offset_bytes + y.size_bytes && y.offset_bytes < x.offset_bytes + x.size_bytes;
      EXPECT_FALSE(together && meet) << a << " and " << b;
    }
  }
}

PlanBuffer Buffer(int64_t bytes, BufferKind kind = BufferKind::kArena) {
  PlanBuffer buffer;
  buffer.kind = kind;
  buffer.size_bytes = bytes;
  return buffer;
}

PlanCall CallOn(std::vector<int> buffers) {
  PlanCall call;
  for (const int buffer : buffers) call.operands.push_back({buffer, 0, 0});
  return call;
}

// Each call reads a few earlier buffers and writes a new one.
Plan RandomPlan(uint64_t seed) {
  Random random(seed);
  Plan plan;
  plan.buffers.push_back(Buffer(1000, BufferKind::kInput));
  const int calls = static_cast<int>(1 + random.Below(40));
  for (int i = 0; i < calls; ++i) {
    plan.buffers.push_back(Buffer(static_cast<int64_t>(1 + random.Below(5000))));
    std::vector<int> touched;
    for (uint64_t k = random.Below(3) + 1; k > 0; --k) {
      const auto back = static_cast<int>(random.Below(6));
      touched.push_back(std::max(0, i - back));
    }
    touched.push_back(i + 1);
    plan.calls.push_back(CallOn(touched));
  }
  return plan;
}

TEST(PlanMemory, LiveBuffersNeverOverlap) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Plan plan = RandomPlan(seed);
    PlanMemory(plan);
    ExpectNoOverlap(plan);
    EXPECT_LE(plan.live_bound_bytes, plan.arena_bytes);
  }
}

TEST(PlanMemory, AChainNeedsItsTwoLargestNeighbours) {
  Plan plan;
  for (const int64_t bytes : {640, 1280, 64, 1920, 640}) plan.buffers.push_back(Buffer(bytes));
  plan.calls = {CallOn({0}), CallOn({0, 1}), CallOn({1, 2}), CallOn({2, 3}), CallOn({3, 4})};
  PlanMemory(plan);
  EXPECT_EQ(plan.live_bound_bytes, 2560);
  EXPECT_EQ(plan.arena_bytes, 2560);
}

// A step quadratic in the number of buffers would exceed ctest's time limit.
TEST(PlanMemory, AMillionBuffersArePlanned) {
  constexpr int kCalls = 1'000'000;
  Plan plan;
  plan.buffers.push_back(Buffer(64));
  for (int i = 0; i < kCalls; ++i) {
    plan.buffers.push_back(Buffer(64 * (1 + i % 3)));
    plan.calls.push_back(CallOn({i, i + 1}));
  }
  PlanMemory(plan);
  EXPECT_EQ(plan.live_bound_bytes, 64 * 5);
  EXPECT_LE(plan.arena_bytes, 64 * 6);
}

TEST(PlanMemory, UserMemoryTakesNoArena) {
  Plan plan;
  plan.buffers = {Buffer(64, BufferKind::kInput), Buffer(64, BufferKind::kOutput), Buffer(64, BufferKind::kParam)};
  plan.calls = {CallOn({0, 2, 1})};
  PlanMemory(plan);
  EXPECT_EQ(plan.arena_bytes, 0);
}

}  // namespace
}  // namespace hone::testing
