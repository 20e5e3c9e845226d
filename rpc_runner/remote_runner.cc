#include <algorithm>

#include "rpc_runner/remote_session.h"
#include "rpc_runner/runner.h"

namespace hone {
namespace {

// One more than the runner's executor takes, so that it need not wait for us.
constexpr int kSlots = 4;

class RemoteRunner : public Runner {
 public:
  explicit RemoteRunner(const RemoteRunnerOptions& options) : session_(options) { session_.WaitForOffer(); }

  int FreeSlots() const override { return std::max(0, kSlots - static_cast<int>(session_.outstanding())); }

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

 private:
  RemoteSession session_;
  JobId next_id_ = 1;
};

}  // namespace

std::unique_ptr<Runner> MakeRemoteRunner(const RemoteRunnerOptions& options) {
  return std::make_unique<RemoteRunner>(options);
}

}  // namespace hone
