#include "lab/records/records.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "core/error.h"
#include "db/packs/pack.h"
#include "lab/files/read_file.h"
#include "lab/records/store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoHub = "none";
constexpr const char* kProjectStore = "hone.db";

// The hub's place beside the program's folder, where `cmake --install` puts it.
std::string InstalledHub() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "" : (program.parent_path().parent_path() / "share" / "hone" / "hub.honepack").string();
}

// The path of hone.db beside the model's file; empty if there is none, or if it is the user's store itself.
std::string ProjectStore(const std::string& model, const std::string& store) {
  std::error_code error;
  if (!fs::is_regular_file(model, error)) return "";
  std::string path = (fs::path(model).parent_path() / kProjectStore).string();
  if (!IsThere(path) || !fs::is_regular_file(path, error) || fs::equivalent(path, store, error)) return "";
  return path;
}

}  // namespace

RecordLayers OpenRecords(const RecordOptions& options, const std::string& model) {
  RecordLayers layers;
  if (options.no_records) return layers;
  if (auto store = OpenStoreIfThere(options.db)) layers.Add(kStoreOrigin, StoreLayer(std::move(store)));
  if (const std::string project = ProjectStore(model, StorePath(options.db)); !project.empty()) {
    layers.Add("project", StoreLayer(RecordStore::Open(project, false)));
  }
  if (const std::string hub = HubPath(options.hub); !hub.empty()) {
    // The user did not ask for the hub, so it must not make a build slower: another kind's records may lose to the
    // default.
    layers.Add("hub", FixedLayer(ReadPack(ReadFile(hub)).records), RecordLayers::Reach::kOwnKind);
  }
  return layers;
}

std::string HubPath(const std::string& hub) {
  if (hub == kNoHub) return "";
  if (!hub.empty()) {
    if (!IsThere(hub)) {
      throw Error(ExitCode::kNoInput, fmt::format("there is no pack '{}'; --hub none does without one", hub));
    }
    return hub;
  }
  std::string installed = InstalledHub();
  return IsThere(installed) ? installed : "";
}

}  // namespace hone
