#include "rpc_runner/health/runner_health.h"

#include "core/json_fields.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

RunnerHealth RunnerHealth::FromHello(const Json& header) {
  RunnerHealth health;
  if (header.contains("health")) {
    health.state = TextField(header["health"], "state");
    health.why = TextField(header["health"], "why");
  }
  if (header.contains("roofs")) health.roofs = RoofsText(RoofsFromJson(header["roofs"]));
  return health;
}

}  // namespace hone
