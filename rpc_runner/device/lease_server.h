// A runner's side of one lease: its jobs, the references they need and the results that were sent.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/memory/region_cache.h"
#include "rpc_runner/wire/blob_store.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

// Takes a client's frames and returns the answers; knows no sockets, clocks or executors. Not thread-safe.
class LeaseServer {
 public:
  // Uses the package limits of the caps.
  explicit LeaseServer(const JobCaps& caps) : caps_(caps), blobs_(caps.cache_bytes) {}
  // Begins a lease. Drops the state of the previous one, including incomplete blobs. "" only ends it.
  void Begin(const std::string& lease);
  const std::string& lease() const { return lease_; }

  // Answers a client's frame, under the frame's lease. `for_us` tells whether that is this server's lease. Throws
  // Error(kBadData).
  std::vector<Frame> Handle(const Frame& frame, bool* for_us);
  // The next job that has all it needs, moved to "running".
  std::optional<JobMessage> NextJob();
  // Takes the verdict of the golden kernel: "" if it was normal, otherwise why the device is in doubt. In that case all
  // results since the last normal run are doubted too. Returns true if the client should be told at once.
  bool OnHealthCheck(const std::string& why);
  // Whether the client has asked for a golden run and there are results that it would judge.
  bool wants_health_check() const { return check_requested_ && !unverified_.empty(); }
  // The news for the client, sent each second and at the end of a lease.
  Frame Heartbeat(FrameKind kind = FrameKind::kHeartbeat);
  // Returns the result's frame to send and keeps it for repetition. Nullopt if the job was under another lease.
  std::optional<Frame> Finish(const JobMessage& job, const Measurement& measurement, const JobCost& cost = {},
                              std::string outputs = {}, std::optional<RuntimeFacts> runtime = {});

 private:
  using Key = std::pair<JobId, uint32_t>;
  std::vector<Frame> Answers(const Frame& frame);
  std::vector<Frame> OnJob(const Frame& frame);
  std::vector<Frame> OnPackage(JobMessage job, const Json& header);
  std::vector<Frame> OnHeartbeat(const Json& header);
  std::vector<Frame> OnPiece(const BlobPiece& piece);
  Frame OnWithdraw(const Json& jobs);
  bool IsPending(JobId id, const uint32_t* attempt) const;
  bool LacksData(const JobMessage& job);
  void AttachBlobs(JobMessage& job);
  JobMessage* FirstWithoutBlobs();
  std::optional<Frame> NextBlobRequest();
  const Frame* FindResult(JobId id, const uint32_t* attempt) const;

  std::string lease_;
  const JobCaps caps_;
  // These two outlive leases. Everything in them is checked against its hash, so it does not matter who sent it.
  BlobStore references_;
  BlobCache blobs_;
  int heartbeats_since_piece_ = 0;
  std::deque<JobMessage> waiting_;
  std::vector<Key> running_;
  std::deque<std::pair<Key, Frame>> sent_results_;  // newest last
  // Results under this lease: not yet judged by a golden run; doubted after one that was slow.
  std::deque<JobId> unverified_, doubted_;
  std::string doubt_reason_;
  bool check_requested_ = false, check_reported_ = false;
};

}  // namespace hone
