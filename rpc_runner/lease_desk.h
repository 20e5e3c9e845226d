// A runner's side of one lease: the jobs under it, the references they need and the results that were sent.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/executor/blob_cache.h"
#include "rpc_runner/executor/job_caps.h"
#include "rpc_runner/wire/blob_store.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

// Takes a client's frames and says what to answer; does not know sockets, clocks or executors. Not thread-safe.
class LeaseDesk {
 public:
  // Of the caps those of packages.
  explicit LeaseDesk(const JobCaps& caps) : caps_(caps), blobs_(caps.cache_bytes) {}
  // Begins a lease; what was under the one before is dropped, and so are blobs that did not all come. "" ends it.
  void Begin(const std::string& lease);
  const std::string& lease() const { return lease_; }

  // What to answer to a client's frame, under its lease. `for_us` tells whether that is ours. Throws Error(kBadData).
  std::vector<Frame> Handle(const Frame& frame, bool* for_us);
  // The next job that has all it needs, moved to "running".
  std::optional<JobMessage> NextJob();
  // What the golden kernel says: "" when it was as usual, else why the device is in doubt. What was sent since it last
  // was as usual is doubted with it. True when the client should be told at once.
  bool Looked(const std::string& why);
  // The client has asked for a look, and there is something of which it would tell more than the last one.
  bool wants_look() const { return asked_to_look_ && !unproved_.empty(); }
  // What the client is told each second; the end of a lease tells the same.
  Frame Beat(FrameKind kind = FrameKind::kHeartbeat);
  // The result's frame to send, kept to be sent again; nullopt when the job was under another lease.
  std::optional<Frame> Finish(const JobMessage& job, const Measurement& measurement, const JobCost& cost = {},
                              std::string outputs = {});

 private:
  using Key = std::pair<JobId, uint32_t>;
  std::vector<Frame> Answers(const Frame& frame);
  std::vector<Frame> OnJob(const Frame& frame);
  std::vector<Frame> OnPackage(JobMessage job, const Json& header);
  std::vector<Frame> OnBeat(const Json& header);
  std::vector<Frame> OnPiece(const BlobPiece& piece);
  Frame OnWithdraw(const Json& jobs);
  bool Knows(JobId id, const uint32_t* attempt) const;
  bool Lacks(const JobMessage& job);
  void GiveBlobs(JobMessage& job);
  JobMessage* FirstLackingBlobs();
  std::optional<Frame> NextNeed();
  const Frame* FindDone(JobId id, const uint32_t* attempt) const;

  std::string lease_;
  const JobCaps caps_;
  // These two outlive leases. All that does has the hash of its name: who sent it makes no difference.
  BlobStore references_;
  BlobCache blobs_;
  int quiet_beats_ = 0;  // of the client since a piece came
  std::deque<JobMessage> waiting_;
  std::vector<Key> running_;
  std::deque<std::pair<Key, Frame>> done_;  // newest last
  // Sent under this lease and believed: since the last look, and before one that said otherwise.
  std::deque<JobId> unproved_, doubted_;
  std::string doubt_;  // why
  bool asked_to_look_ = false, looked_ = false;
};

}  // namespace hone
