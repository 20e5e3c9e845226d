#include "lab/machine/versions.h"

#include <fmt/format.h>

#include "compiler/codegen/target/object.h"
#include "core/package/kernel_abi.h"
#include "core/package/package_format.h"
#include "core/package/plan.h"
#include "core/version.h"
#include "db/packs/pack.h"
#include "db/record_log.h"
#include "db/trial_row.h"
#include "lab/bench_format.h"
#include "lab/comparison/comparison_json.h"
#include "lab/history/history_forms.h"
#include "rpc_runner/adapter/adapter.h"
#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/wire/protocol.h"
#include "runtime/hone.h"
#include "runtime/states/saved_state.h"

namespace hone {

std::string VersionText() {
  return fmt::format(
      "hone {}\nLLVM {}\nformats: package {}, plan {}, store {}, protocol {}, log {}, pack {}, bench {}, comparison "
      "{}, history {}, health {}, saved state {}, adapter {}, kernel ABI {}, C API {}\n",
      HoneVersion(), LlvmVersion(), kPackageVersion, kPlanVersion, kSchemaVersion, kProtocolVersion, kLogVersion,
      kPackVersion, kBenchVersion, kComparisonVersion, kHistoryVersion, kHealthVersion, kSavedStateVersion,
      kAdapterProtocol, HONE_KERNEL_ABI_VERSION, HONE_API_VERSION);
}

Json VersionJson() {
  return {{"hone", HoneVersion()},
          {"llvm", LlvmVersion()},
          {"package", kPackageVersion},
          {"plan", kPlanVersion},
          {"store", kSchemaVersion},
          {"protocol", kProtocolVersion},
          {"log", kLogVersion},
          {"pack", kPackVersion},
          {"bench", kBenchVersion},
          {"comparison", kComparisonVersion},
          {"history", kHistoryVersion},
          {"health", kHealthVersion},
          {"saved_state", kSavedStateVersion},
          {"adapter", kAdapterProtocol},
          {"kernel_abi", HONE_KERNEL_ABI_VERSION},
          {"c_api", HONE_API_VERSION}};
}

}  // namespace hone
