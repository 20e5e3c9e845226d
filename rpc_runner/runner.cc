#include "rpc_runner/runner.h"

#include "core/error.h"

namespace hone {

JobId Runner::SubmitPackage(PackageJob) {
  throw Error(ExitCode::kNoRunner, "this runner times kernels only, not whole packages");
}

}  // namespace hone
