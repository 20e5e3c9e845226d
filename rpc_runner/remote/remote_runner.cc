#include "rpc_runner/remote/remote_session.h"
#include "rpc_runner/runner.h"

namespace hone {
namespace {

class RemoteRunner : public Runner {
 public:
  explicit RemoteRunner(const RemoteRunnerOptions& options) : session_(options) { session_.WaitForOffer(); }

  int FreeSlots() const override { return session_.FreeSlots(); }

  JobId Submit(KernelJob job) override {
    session_.Submit(next_id_, std::move(job));
    return next_id_++;
  }

  JobId SubmitPackage(PackageJob job) override {
    session_.SubmitPackage(next_id_, std::move(job));
    return next_id_++;
  }

  bool Wait(int64_t timeout_ns, JobResult* result) override { return session_.Wait(timeout_ns, result); }
  Environment Describe() override { return session_.Describe(); }
  std::vector<Environment> Machines() override { return session_.Machines(); }
  std::vector<SuspectResult> TakeSuspectResults() override { return session_.TakeSuspectResults(); }
  void CheckHealth(int64_t timeout_ns) override { session_.CheckHealth(timeout_ns); }
  uint64_t OpenGroup() override { return session_.OpenGroup(); }
  void CloseGroup(uint64_t group) override { session_.CloseGroup(group); }

 private:
  RemoteSession session_;
  JobId next_id_ = 1;
};

}  // namespace

std::unique_ptr<Runner> MakeRemoteRunner(const RemoteRunnerOptions& options) {
  return std::make_unique<RemoteRunner>(options);
}

}  // namespace hone
