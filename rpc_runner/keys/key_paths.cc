#include "rpc_runner/keys/key_paths.h"

#include <cstdlib>

#include "core/error.h"

namespace hone {
namespace {

std::string EnvironmentVariable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool HasConfigFolder() {
  return EnvironmentVariable("XDG_CONFIG_HOME").starts_with('/') || EnvironmentVariable("HOME").starts_with('/');
}

std::string ConfigFolder() {
  // The base directory specification says to ignore relative paths.
  const std::string config = EnvironmentVariable("XDG_CONFIG_HOME");
  if (config.starts_with('/')) return config + "/hone";
  const std::string home = EnvironmentVariable("HOME");
  if (home.starts_with('/')) return home + "/.config/hone";
  throw Error(ExitCode::kBadConfig, "neither XDG_CONFIG_HOME nor HOME says where keys are; give their paths");
}

std::string DefaultKeyFolder() {
  const std::string given = EnvironmentVariable("HONE_KEYS");
  return given.empty() ? ConfigFolder() + "/tracker" : given;
}

std::string DefaultIdentityPath() {
  const std::string given = EnvironmentVariable("HONE_IDENTITY");
  return given.empty() ? ConfigFolder() + "/identity" : given;
}

std::string KnownTrackersPath() { return ConfigFolder() + "/known_trackers"; }

}  // namespace hone
