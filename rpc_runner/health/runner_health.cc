#include "rpc_runner/health/runner_health.h"

#include <algorithm>
#include <string>

#include "core/json/json_fields.h"
#include "rpc_runner/health/roofs.h"

namespace hone {
namespace {

// The most bytes that a tracker keeps of each text from a runner.
constexpr size_t kMostHealthTextBytes = 400;

std::string Bounded(std::string text) {
  text.resize(std::min(text.size(), kMostHealthTextBytes));
  return text;
}

}  // namespace

RunnerHealth RunnerHealth::FromHello(const Json& header) {
  RunnerHealth health;
  if (header.contains("health")) {
    health.state = Bounded(TextField(header["health"], "state"));
    health.why = Bounded(TextField(header["health"], "why"));
  }
  if (header.contains("roofs")) health.roofs = Bounded(RoofsText(RoofsFromJson(header["roofs"])));
  return health;
}

}  // namespace hone
