#include "lab/records/records.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "db/open_database.h"
#include "db/packs/pack.h"
#include "lab/files/read_file.h"
#include "lab/text/print.h"

namespace hone {

std::string StorePath(const std::string& path) { return path.empty() ? DefaultStorePath() : path; }

std::unique_ptr<RecordStore> OpenStore(const std::string& path) { return RecordStore::Open(StorePath(path), true); }

std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path) {
  const std::string at = StorePath(path);
  if (!path.empty() || IsServerStore(at) || IsThere(at)) return OpenExistingStore(path);
  // A named store that does not exist is most likely a typing mistake. The default store does not exist until it is
  // made.
  const char* named = std::getenv("HONE_DB");
  static std::once_flag told;
  if (named != nullptr && *named != '\0')
    std::call_once(told,
                   [&] { Note("warning: HONE_DB names {}, and no record store is there: no records are used\n", at); });
  return nullptr;
}

std::unique_ptr<RecordStore> OpenStoreIfMade(const std::string& path) {
  const std::string at = StorePath(path);
  return IsServerStore(at) || IsThere(at) ? RecordStore::Open(at, false) : nullptr;
}

std::string NoStoreYet(const std::string& path) {
  return fmt::format("there is no record store {} yet; `hone tune` or `hone log import` makes it", StorePath(path));
}

std::string ExistingStorePath(const std::string& path) {
  const std::string at = StorePath(path);
  if (!IsServerStore(at) && !IsThere(at)) {
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no record store {}; `hone tune` or `hone log import` makes one", at));
  }
  return at;
}

std::unique_ptr<RecordStore> OpenExistingStore(const std::string& path) {
  return RecordStore::Open(ExistingStorePath(path), false);
}

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
  AddOtherRecords(options, model, layers);
  return layers;
}

void AddOtherRecords(const RecordOptions& options, const std::string& model, RecordLayers& layers) {
  if (const std::string project = ProjectStore(model, StorePath(options.db)); !project.empty()) {
    layers.Add("project", StoreLayer(RecordStore::Open(project, false)));
  }
  if (const std::string hub = HubPath(options.hub); !hub.empty()) {
    // The user did not ask for the hub, so it must not make a build slower: another kind's records may lose to the
    // default.
    layers.Add("hub", FixedLayer(ReadPack(ReadFile(hub)).records), RecordLayers::Reach::kOwnKind);
  }
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
