#include "rpc_runner/remote/job_board.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hone {
namespace {

class JobBoardTest : public testing::Test {
 protected:
  void AddJobs(JobId first, JobId last, uint64_t group = 0) {
    for (JobId id = first; id <= last; ++id) {
      JobMessage message;
      message.id = id;
      board_.Add(std::move(message), group);
    }
  }
  // The jobs sent in this call, by lane.
  std::map<LaneId, std::vector<JobId>> SendAll() {
    std::map<LaneId, std::vector<JobId>> sent;
    while (const auto next = board_.NextToSend()) sent[next->lane].push_back(next->job);
    return sent;
  }
  void Finish(LaneId lane, JobId job, uint32_t attempt = 1) { board_.TakeResult(lane, {job, attempt, {}, {}}); }
  void Lose(LaneId lane, JobId job, uint32_t attempt) {
    Measurement lost;
    lost.fate = Fate::kRunnerLost;
    board_.TakeResult(lane, {job, attempt, lost, {}});
  }
  std::map<JobId, Fate> Results() {
    std::map<JobId, Fate> fates;
    JobResult result;
    while (board_.PopResult(&result)) {
      EXPECT_TRUE(fates.emplace(result.id, result.measurement.fate).second) << "twice: " << result.id;
    }
    return fates;
  }

  JobBoard board_;
};

TEST_F(JobBoardTest, SpreadsJobsAndKeepsTheRest) {
  board_.OpenLane(1);
  board_.OpenLane(2);
  AddJobs(1, 3);
  auto sent = SendAll();
  EXPECT_EQ(sent[1].size() + sent[2].size(), 3u);
  EXPECT_GE(sent[1].size(), 1u);
  EXPECT_GE(sent[2].size(), 1u);
  AddJobs(4, 20);
  sent = SendAll();
  EXPECT_EQ(board_.JobsOf(1).size(), 4u);
  EXPECT_EQ(board_.JobsOf(2).size(), 4u);
}

// One lane takes ten times as long for a job. The clock ticks, lanes work on their oldest job, and waiting jobs may be
// withdrawn. Lanes take only jobs that the board gives them.
class SlowLane : public JobBoardTest {
 protected:
  struct Worker {
    int ticks_a_job;
    std::vector<JobId> jobs;
    int begun = -1;
    int done = 0;
  };
  int RunToTheEnd(bool steal) {
    int tick = 0;
    for (; board_.outstanding() > 0 && tick < 10'000; ++tick) {
      while (const auto next = board_.NextToSend()) workers_.at(next->lane).jobs.push_back(next->job);
      while (steal) {
        const auto asked = board_.NextToWithdraw();
        if (!asked) break;
        Answer(*asked);
      }
      for (auto& [lane, worker] : workers_) Work(lane, worker, tick);
    }
    return tick;
  }
  void Answer(JobBoard::Place asked) {
    std::vector<JobId>& jobs = workers_.at(asked.lane).jobs;
    if (jobs.front() == asked.job && workers_.at(asked.lane).begun >= 0) return board_.Kept(asked);
    std::erase(jobs, asked.job);
    board_.Withdrawn(asked);
  }
  void Work(LaneId lane, Worker& worker, int tick) {
    if (worker.jobs.empty()) return;
    if (worker.begun < 0) worker.begun = tick;
    if (tick - worker.begun + 1 < worker.ticks_a_job) return;
    Finish(lane, worker.jobs.front());
    worker.jobs.erase(worker.jobs.begin());
    worker.begun = -1;
    ++worker.done;
  }
  void Begin() {
    workers_ = {{1, {1, {}}}, {2, {1, {}}}, {3, {20, {}}}};
    for (const auto& [lane, worker] : workers_) board_.OpenLane(lane);
    AddJobs(1, 41);
  }

  std::map<LaneId, Worker> workers_;
};

TEST_F(SlowLane, LosesWhatWaitsThereToTheIdleOnes) {
  Begin();
  const int ticks = RunToTheEnd(true);
  EXPECT_EQ(Results().size(), 41u);
  EXPECT_LE(workers_.at(3).done, 2);
  // No order is faster: the slow lane's second job ends no earlier.
  EXPECT_LE(ticks, 40);
}

TEST_F(SlowLane, WouldHoldEverybodyUpWithoutThat) {
  Begin();
  EXPECT_GE(RunToTheEnd(false), 80);
  EXPECT_EQ(workers_.at(3).done, 4);
}

TEST_F(JobBoardTest, LeavesALaneWhatItWillSoonBegin) {
  board_.OpenLane(1);
  AddJobs(1, 2);
  SendAll();
  EXPECT_FALSE(board_.NextToWithdraw());
  board_.OpenLane(2);
  const auto asked = board_.NextToWithdraw();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->job, 2u);
  EXPECT_FALSE(board_.NextToWithdraw()) << "the first one has begun";
}

TEST_F(JobBoardTest, MovesTheJobsOfALostLaneOnceEach) {
  board_.OpenLane(1);
  board_.OpenLane(2);
  AddJobs(1, 4);
  const auto sent = SendAll();
  board_.LoseLane(1);
  for (const JobId job : sent.at(1)) Finish(1, job);
  EXPECT_TRUE(Results().empty()) << "a lane that is lost has no say";
  EXPECT_EQ(SendAll()[2], sent.at(1));
  for (const JobId job : sent.at(1)) {
    Finish(2, job, 1);
    Finish(2, job, 2);
    Finish(2, job, 2);
  }
  for (const JobId job : sent.at(2)) Finish(2, job, 1);
  EXPECT_EQ(Results().size(), 4u);
  EXPECT_EQ(board_.outstanding(), 0u);
}

TEST_F(JobBoardTest, TakesAMovedJobsResultFromWhereItIs) {
  board_.OpenLane(1);
  AddJobs(1, 2);
  SendAll();
  board_.OpenLane(2);
  const auto asked = board_.NextToWithdraw();
  ASSERT_TRUE(asked);
  board_.Withdrawn(*asked);
  EXPECT_EQ(SendAll()[2], (std::vector<JobId>{asked->job}));
  Finish(1, asked->job);
  EXPECT_TRUE(Results().empty());
  Finish(2, asked->job);
  EXPECT_EQ(Results().size(), 1u);
}

TEST_F(JobBoardTest, GivesUpAJobThatOutlivesNoRunner) {
  AddJobs(1, 1);
  for (LaneId lane = 1; lane <= JobBoard::kMostAttempts; ++lane) {
    EXPECT_TRUE(Results().empty());
    board_.OpenLane(lane);
    SendAll();
    board_.LoseLane(lane);
  }
  EXPECT_EQ(Results(), (std::map<JobId, Fate>{{1, Fate::kRunnerLost}}));
}

TEST_F(JobBoardTest, AJobThatARunnerLosesIsTriedElsewhere) {
  board_.OpenLane(1);
  AddJobs(1, 1);
  SendAll();
  Lose(1, 1, 1);
  EXPECT_TRUE(Results().empty());
  // No other lane exists, so the job returns to this one.
  EXPECT_EQ(SendAll()[1], std::vector<JobId>{1});
  Lose(1, 1, 2);
  board_.OpenLane(2);
  AddJobs(2, 4);
  auto sent = SendAll();
  EXPECT_EQ(sent[2].at(0), 1u) << "lane 2 is as free as lane 1, and lane 1 lost it";
  Lose(2, 1, 3);
  EXPECT_EQ(Results(), (std::map<JobId, Fate>{{1, Fate::kRunnerLost}}));
}

TEST_F(JobBoardTest, ALaneThatLosesFiveInARowIsBroken) {
  board_.OpenLane(1);
  for (JobId id = 1; id <= 10; ++id) {
    AddJobs(id, id);
    SendAll();
    EXPECT_EQ(board_.BrokenLane(), std::nullopt);
    // Four losses, then a success, then more losses.
    id == 5 ? Finish(1, id) : Lose(1, id, 1);
    for (uint32_t attempt = 2; id != 5 && attempt <= JobBoard::kMostAttempts; ++attempt) board_.Fail(id, Fate::kOk, "");
  }
  EXPECT_EQ(board_.BrokenLane(), std::optional<LaneId>(1));
}

TEST_F(JobBoardTest, KeepsAGroupOnOneLane) {
  board_.OpenLane(1);
  board_.OpenLane(2);
  const uint64_t one = board_.OpenGroup(), other = board_.OpenGroup();
  AddJobs(1, 6, one);
  AddJobs(7, 8, other);
  auto sent = SendAll();
  EXPECT_EQ(sent[1], (std::vector<JobId>{1, 2, 3, 4}));
  EXPECT_EQ(sent[2], (std::vector<JobId>{7, 8})) << "a second group has its own lane while there is one";
  EXPECT_FALSE(board_.NextToWithdraw());
  Finish(1, 1);
  EXPECT_EQ(SendAll()[1], (std::vector<JobId>{5}));
}

TEST_F(JobBoardTest, EndsAGroupWithItsLane) {
  board_.OpenLane(1);
  board_.OpenLane(2);
  const uint64_t group = board_.OpenGroup();
  AddJobs(1, 6, group);
  SendAll();
  Finish(1, 1);
  board_.LoseLane(1);
  AddJobs(7, 7, group);
  const auto fates = Results();
  ASSERT_EQ(fates.size(), 7u);
  EXPECT_EQ(fates.at(1), Fate::kOk);
  for (JobId id = 2; id <= 7; ++id) EXPECT_EQ(fates.at(id), Fate::kRunnerLost) << id;
  EXPECT_TRUE(SendAll().empty());
}

TEST_F(JobBoardTest, SparesTheLaneThatIsMissedLeastButNotTheLast) {
  board_.OpenLane(1);
  EXPECT_FALSE(board_.LaneToSpare());
  board_.OpenLane(2);
  board_.OpenLane(3);
  const uint64_t group = board_.OpenGroup();
  AddJobs(1, 1, group);
  AddJobs(2, 4);
  SendAll();
  Finish(3, board_.JobsOf(3).at(0));
  EXPECT_EQ(board_.LaneToSpare(), 3u);
  board_.LoseLane(3);
  EXPECT_EQ(board_.LaneToSpare(), 2u) << "on 1 a group is compared";
}

TEST_F(JobBoardTest, DrainsALaneOfAllButWhatItHasBegun) {
  board_.OpenLane(1);
  AddJobs(1, 3);
  SendAll();
  board_.OpenLane(2);
  board_.DrainLane(1);
  std::vector<JobId> asked;
  while (const auto next = board_.NextToWithdraw()) {
    asked.push_back(next->job);
    next->job == 1 ? board_.Kept(*next) : board_.Withdrawn(*next);
  }
  EXPECT_EQ(asked, (std::vector<JobId>{3, 2, 1}));
  EXPECT_EQ(SendAll()[2], (std::vector<JobId>{2, 3}));
  EXPECT_FALSE(board_.DrainedLane());
  EXPECT_TRUE(board_.draining());
  Finish(1, 1);
  EXPECT_EQ(board_.DrainedLane(), 1u);
  EXPECT_FALSE(board_.draining());
}

TEST_F(JobBoardTest, WaitsForALaneThatTakesNoMore) {
  board_.OpenLane(1);
  AddJobs(1, 1);
  const auto next = board_.NextToSend();
  ASSERT_TRUE(next);
  board_.Refused(*next);
  EXPECT_FALSE(board_.NextToSend());
  board_.Reopen(1);
  EXPECT_TRUE(board_.NextToSend());
}

}  // namespace
}  // namespace hone
