#include "db/sqlite/network_file_system.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Network {
  uint32_t type;
  const char* name;
};
// From statfs(2) and the kernel's linux/magic.h. The last four are documented only by their projects.
constexpr Network kNetworks[] = {
    {0x6969, "NFS"},       {0x517B, "SMB"},        {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB"},   {0x5346414F, "AFS"},    {0x73757245, "Coda"},
    {0x564C, "NCP"},       {0x00C36400, "Ceph"},   {0x01021997, "9P"},
    {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"},   {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},  {0x19830326, "BeeGFS"}, {0x786F4256, "VirtualBox's shared folders"}};

// The nearest ancestor of the path that exists.
std::string Existing(const std::string& path) {
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored);
  while (!fs::exists(at, ignored) && at.has_relative_path()) at = at.parent_path();
  return at.string();
}

}  // namespace

int64_t StatfsType(const std::string& path) {
  struct statfs told{};
  return statfs(path.c_str(), &told) == 0 ? static_cast<uint32_t>(told.f_type) : 0;
}

const char* NetworkFileSystemName(int64_t type) {
  for (const Network& network : kNetworks) {
    if (type == network.type) return network.name;
  }
  return nullptr;
}

void RefuseNetworkFileSystem(const std::string& path, const FileSystemType& type_of) {
  const char* name = NetworkFileSystemName(type_of(Existing(path)));
  const char* forced = std::getenv("HONE_NETWORK_STORE");
  if (name == nullptr || (forced != nullptr && std::string_view(forced) == "1")) return;
  throw Error(
      ExitCode::kBadConfig,
      fmt::format("store '{}' is on a network file system ({}), where locks do not hold and records get lost; use "
                  "a local disk or --db postgresql://..., or set HONE_NETWORK_STORE=1 where one host alone writes",
                  path, name));
}

}  // namespace hone
