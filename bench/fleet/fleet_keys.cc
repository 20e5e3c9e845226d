#include "bench/fleet/fleet_keys.h"

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"

namespace hone::bench {
namespace {

std::string NewFolder() {
  std::string name = std::filesystem::temp_directory_path() / "hone_fleet_keys_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw Error(ExitCode::kCannotCreate, "no folder for keys can be made");
  return name;
}

}  // namespace

FleetKeys::FleetKeys() : path_(NewFolder()) {
  const KeyFolder tracker(server().folder);
  client_ = {path_ + "/identity", MakeTrackerFolder(tracker).public_key};
  const KeyPair keys = NewKeyPair();
  WriteIdentity(client_.identity, keys, "fleet");
  Authorize(tracker, {keys.public_key, *ParseRoles("tuner,runner,viewer"), "fleet", 0});
}

ClientKeys FleetKeys::Admit(const std::string& name) const {
  const ClientKeys viewer = {path_ + "/" + name, client_.server_key};
  const KeyPair keys = NewKeyPair();
  WriteIdentity(viewer.identity, keys, name);
  Authorize(KeyFolder(server().folder), {keys.public_key, *ParseRoles("viewer"), name, 0});
  return viewer;
}

void FleetKeys::Revoke(const std::string& name) const { hone::Revoke(KeyFolder(server().folder), name); }

FleetKeys::~FleetKeys() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hone::bench
