#include "core/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 12> kFateNames = {
    "Ok",      "InvalidConfig", "Unsupported", "CompileFailed",   "WrongOutput", "OutOfBounds",
    "Crashed", "TimedOut",      "OutOfMemory", "PolicyViolation", "RunnerLost",  "Cancelled"};

}  // namespace

std::string_view FateName(Fate fate) {
  const auto number = static_cast<size_t>(fate);
  return number < kFateNames.size() ? kFateNames[number] : "unknown";
}

Fate ParseFate(std::string_view name) {
  const auto at = std::find(kFateNames.begin(), kFateNames.end(), name);
  if (at == kFateNames.end()) {
    throw Error(ExitCode::kBadData,
                fmt::format("'{}' is not a fate; the fates are {}", name, fmt::join(kFateNames, ", ")));
  }
  return static_cast<Fate>(at - kFateNames.begin());
}

std::string_view CacheModeName(CacheMode mode) { return mode == CacheMode::kWarm ? "warm" : "cold-weights"; }

CacheMode ParseCacheMode(std::string_view name) {
  if (name == "cold-weights") return CacheMode::kColdWeights;
  if (name == "warm") return CacheMode::kWarm;
  throw Error(ExitCode::kUsage, fmt::format("'{}' is not a cache mode; it is cold-weights or warm", name));
}

int64_t Measurement::MinNs() const {
  return samples_ns.empty() ? 0 : *std::min_element(samples_ns.begin(), samples_ns.end());
}

}  // namespace hone
