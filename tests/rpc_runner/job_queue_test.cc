#include "rpc_runner/remote/job_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hone {
namespace {

class JobQueueTest : public testing::Test {
 protected:
  void AddJobs(JobId first, JobId last, uint64_t group = 0) {
    for (JobId id = first; id <= last; ++id) {
      JobMessage message;
      message.id = id;
      queue_.Add(std::move(message), group);
    }
  }
  // The jobs sent in this call, by worker.
  std::map<WorkerId, std::vector<JobId>> SendAll() {
    std::map<WorkerId, std::vector<JobId>> sent;
    while (const auto next = queue_.NextToSend()) sent[next->worker].push_back(next->job);
    return sent;
  }
  void Finish(WorkerId worker, JobId job, uint32_t attempt = 1) { queue_.TakeResult(worker, {job, attempt, {}, {}}); }
  void Lose(WorkerId worker, JobId job, uint32_t attempt) {
    Measurement lost;
    lost.fate = Fate::kRunnerLost;
    queue_.TakeResult(worker, {job, attempt, lost, {}});
  }
  std::map<JobId, Fate> Results() {
    std::map<JobId, Fate> fates;
    JobResult result;
    while (queue_.PopResult(&result)) {
      EXPECT_TRUE(fates.emplace(result.id, result.measurement.fate).second) << "twice: " << result.id;
    }
    return fates;
  }

  JobQueue queue_;
};

TEST_F(JobQueueTest, SpreadsJobsAndKeepsTheRest) {
  queue_.AddWorker(1);
  queue_.AddWorker(2);
  AddJobs(1, 3);
  auto sent = SendAll();
  EXPECT_EQ(sent[1].size() + sent[2].size(), 3u);
  EXPECT_GE(sent[1].size(), 1u);
  EXPECT_GE(sent[2].size(), 1u);
  AddJobs(4, 20);
  sent = SendAll();
  EXPECT_EQ(queue_.JobsOf(1).size(), 4u);
  EXPECT_EQ(queue_.JobsOf(2).size(), 4u);
}

// One worker takes ten times as long for a job. The clock ticks, workers work on their oldest job, and waiting jobs may
// be withdrawn. Workers take only jobs that the queue gives them.
class SlowWorker : public JobQueueTest {
 protected:
  struct SimulatedWorker {
    int ticks_a_job;
    std::vector<JobId> jobs;
    int begun = -1;
    int done = 0;
  };
  int RunToTheEnd(bool steal) {
    int tick = 0;
    for (; queue_.outstanding() > 0 && tick < 10'000; ++tick) {
      while (const auto next = queue_.NextToSend()) simulated_.at(next->worker).jobs.push_back(next->job);
      while (steal) {
        const auto asked = queue_.NextToWithdraw();
        if (!asked) break;
        Answer(*asked);
      }
      for (auto& [worker, simulated] : simulated_) Work(worker, simulated, tick);
    }
    return tick;
  }
  void Answer(JobQueue::Place asked) {
    std::vector<JobId>& jobs = simulated_.at(asked.worker).jobs;
    if (jobs.front() == asked.job && simulated_.at(asked.worker).begun >= 0) return queue_.MarkStarted(asked);
    std::erase(jobs, asked.job);
    queue_.MarkReturned(asked);
  }
  void Work(WorkerId worker, SimulatedWorker& simulated, int tick) {
    if (simulated.jobs.empty()) return;
    if (simulated.begun < 0) simulated.begun = tick;
    if (tick - simulated.begun + 1 < simulated.ticks_a_job) return;
    Finish(worker, simulated.jobs.front());
    simulated.jobs.erase(simulated.jobs.begin());
    simulated.begun = -1;
    ++simulated.done;
  }
  void Begin() {
    simulated_ = {{1, {1, {}}}, {2, {1, {}}}, {3, {20, {}}}};
    for (const auto& [worker, simulated] : simulated_) queue_.AddWorker(worker);
    AddJobs(1, 41);
  }

  std::map<WorkerId, SimulatedWorker> simulated_;
};

TEST_F(SlowWorker, GivesItsWaitingJobsToIdleWorkers) {
  Begin();
  const int ticks = RunToTheEnd(true);
  EXPECT_EQ(Results().size(), 41u);
  EXPECT_LE(simulated_.at(3).done, 2);
  // No order is faster: the slow worker's second job ends no earlier.
  EXPECT_LE(ticks, 40);
}

TEST_F(SlowWorker, WouldHoldEverybodyUpWithoutThat) {
  Begin();
  EXPECT_GE(RunToTheEnd(false), 80);
  EXPECT_EQ(simulated_.at(3).done, 4);
}

TEST_F(JobQueueTest, LeavesAWorkerWhatItWillSoonBegin) {
  queue_.AddWorker(1);
  AddJobs(1, 2);
  SendAll();
  EXPECT_FALSE(queue_.NextToWithdraw());
  queue_.AddWorker(2);
  const auto asked = queue_.NextToWithdraw();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->job, 2u);
  EXPECT_FALSE(queue_.NextToWithdraw()) << "the first one has begun";
}

TEST_F(JobQueueTest, MovesTheJobsOfALostWorkerOnceEach) {
  queue_.AddWorker(1);
  queue_.AddWorker(2);
  AddJobs(1, 4);
  const auto sent = SendAll();
  queue_.RemoveLostWorker(1);
  for (const JobId job : sent.at(1)) Finish(1, job);
  EXPECT_TRUE(Results().empty()) << "a worker that is lost has no say";
  EXPECT_EQ(SendAll()[2], sent.at(1));
  for (const JobId job : sent.at(1)) {
    Finish(2, job, 1);
    Finish(2, job, 2);
    Finish(2, job, 2);
  }
  for (const JobId job : sent.at(2)) Finish(2, job, 1);
  EXPECT_EQ(Results().size(), 4u);
  EXPECT_EQ(queue_.outstanding(), 0u);
}

TEST_F(JobQueueTest, TakesAMovedJobsResultFromWhereItIs) {
  queue_.AddWorker(1);
  AddJobs(1, 2);
  SendAll();
  queue_.AddWorker(2);
  const auto asked = queue_.NextToWithdraw();
  ASSERT_TRUE(asked);
  queue_.MarkReturned(*asked);
  EXPECT_EQ(SendAll()[2], (std::vector<JobId>{asked->job}));
  Finish(1, asked->job);
  EXPECT_TRUE(Results().empty());
  Finish(2, asked->job);
  EXPECT_EQ(Results().size(), 1u);
}

TEST_F(JobQueueTest, GivesUpAJobThatOutlivesNoRunner) {
  AddJobs(1, 1);
  for (WorkerId worker = 1; worker <= JobQueue::kMostAttempts; ++worker) {
    EXPECT_TRUE(Results().empty());
    queue_.AddWorker(worker);
    SendAll();
    queue_.RemoveLostWorker(worker);
  }
  EXPECT_EQ(Results(), (std::map<JobId, Fate>{{1, Fate::kRunnerLost}}));
}

TEST_F(JobQueueTest, AJobThatARunnerLosesIsTriedElsewhere) {
  queue_.AddWorker(1);
  AddJobs(1, 1);
  SendAll();
  Lose(1, 1, 1);
  EXPECT_TRUE(Results().empty());
  // No other worker exists, so the job returns to this one.
  EXPECT_EQ(SendAll()[1], std::vector<JobId>{1});
  Lose(1, 1, 2);
  queue_.AddWorker(2);
  AddJobs(2, 4);
  auto sent = SendAll();
  EXPECT_EQ(sent[2].at(0), 1u) << "worker 2 is as free as worker 1, and worker 1 lost it";
  Lose(2, 1, 3);
  EXPECT_EQ(Results(), (std::map<JobId, Fate>{{1, Fate::kRunnerLost}}));
}

TEST_F(JobQueueTest, AWorkerThatLosesFiveInARowIsBroken) {
  queue_.AddWorker(1);
  for (JobId id = 1; id <= 10; ++id) {
    AddJobs(id, id);
    SendAll();
    EXPECT_EQ(queue_.BrokenWorker(), std::nullopt);
    // Four losses, then a success, then more losses.
    id == 5 ? Finish(1, id) : Lose(1, id, 1);
    for (uint32_t attempt = 2; id != 5 && attempt <= JobQueue::kMostAttempts; ++attempt) queue_.Fail(id, Fate::kOk, "");
  }
  EXPECT_EQ(queue_.BrokenWorker(), std::optional<WorkerId>(1));
}

TEST_F(JobQueueTest, KeepsAGroupOnOneWorker) {
  queue_.AddWorker(1);
  queue_.AddWorker(2);
  const uint64_t one = queue_.OpenGroup(), other = queue_.OpenGroup();
  AddJobs(1, 6, one);
  AddJobs(7, 8, other);
  auto sent = SendAll();
  EXPECT_EQ(sent[1], (std::vector<JobId>{1, 2, 3, 4}));
  EXPECT_EQ(sent[2], (std::vector<JobId>{7, 8})) << "a second group has its own worker while there is one";
  EXPECT_FALSE(queue_.NextToWithdraw());
  Finish(1, 1);
  EXPECT_EQ(SendAll()[1], (std::vector<JobId>{5}));
}

TEST_F(JobQueueTest, EndsAGroupWithItsWorker) {
  queue_.AddWorker(1);
  queue_.AddWorker(2);
  const uint64_t group = queue_.OpenGroup();
  AddJobs(1, 6, group);
  SendAll();
  Finish(1, 1);
  queue_.RemoveLostWorker(1);
  AddJobs(7, 7, group);
  const auto fates = Results();
  ASSERT_EQ(fates.size(), 7u);
  EXPECT_EQ(fates.at(1), Fate::kOk);
  for (JobId id = 2; id <= 7; ++id) EXPECT_EQ(fates.at(id), Fate::kRunnerLost) << id;
  EXPECT_TRUE(SendAll().empty());
}

TEST_F(JobQueueTest, SparesTheWorkerThatIsMissedLeastButNotTheLast) {
  queue_.AddWorker(1);
  EXPECT_FALSE(queue_.WorkerToYield());
  queue_.AddWorker(2);
  queue_.AddWorker(3);
  const uint64_t group = queue_.OpenGroup();
  AddJobs(1, 1, group);
  AddJobs(2, 4);
  SendAll();
  Finish(3, queue_.JobsOf(3).at(0));
  EXPECT_EQ(queue_.WorkerToYield(), 3u);
  queue_.RemoveLostWorker(3);
  EXPECT_EQ(queue_.WorkerToYield(), 2u) << "on 1 a group is compared";
}

TEST_F(JobQueueTest, DrainsAWorkerOfAllButWhatItHasBegun) {
  queue_.AddWorker(1);
  AddJobs(1, 3);
  SendAll();
  queue_.AddWorker(2);
  queue_.DrainWorker(1);
  std::vector<JobId> asked;
  while (const auto next = queue_.NextToWithdraw()) {
    asked.push_back(next->job);
    next->job == 1 ? queue_.MarkStarted(*next) : queue_.MarkReturned(*next);
  }
  EXPECT_EQ(asked, (std::vector<JobId>{3, 2, 1}));
  EXPECT_EQ(SendAll()[2], (std::vector<JobId>{2, 3}));
  EXPECT_FALSE(queue_.DrainedWorker());
  EXPECT_TRUE(queue_.draining());
  Finish(1, 1);
  EXPECT_EQ(queue_.DrainedWorker(), 1u);
  EXPECT_FALSE(queue_.draining());
}

TEST_F(JobQueueTest, WaitsForAWorkerThatTakesNoMore) {
  queue_.AddWorker(1);
  AddJobs(1, 1);
  const auto next = queue_.NextToSend();
  ASSERT_TRUE(next);
  queue_.MarkFull(*next);
  EXPECT_FALSE(queue_.NextToSend());
  queue_.MarkNotFull(1);
  EXPECT_TRUE(queue_.NextToSend());
}

}  // namespace
}  // namespace hone
