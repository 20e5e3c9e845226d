// The records that a build uses, and the store that --db names.
#pragma once

#include <memory>
#include <string>

#include "db/record_layers.h"
#include "db/record_store.h"

namespace hone {

// The record store that --db names.

// The path, or the default store's if it is empty.
std::string StorePath(const std::string& path);
// Opens a store for writing, and creates it if it does not exist.
std::unique_ptr<RecordStore> OpenStore(const std::string& path);
// Opens a store for reading. Null if no path was given and the default store does not exist; if HONE_DB names it, a
// warning is printed once. Throws Error(kNoInput) if a path was given and does not exist.
std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path);
// Opens a store for reading. Null if nothing is at the path, given or default.
std::unique_ptr<RecordStore> OpenStoreIfMade(const std::string& path);
// "there is no record store PATH yet; `hone tune` or `hone log import` makes it".
std::string NoStoreYet(const std::string& path);
// The path as StorePath gives it. Throws Error(kNoInput) if the store does not exist.
std::string ExistingStorePath(const std::string& path);
// Opens a store for reading. Throws Error(kNoInput) if it does not exist.
std::unique_ptr<RecordStore> OpenExistingStore(const std::string& path);

struct RecordOptions {
  std::string db;           // empty: the default store, if it exists
  std::string hub;          // a pack's file, or "none"; empty: the installed one, if it exists
  bool no_records = false;  // analytic defaults only
};
// The records in the order of lookup: the user's store ("store"), hone.db beside the model's file ("project"), the hub
// ("hub"). Missing ones are left out; with no_records there are none. `model` is as on the command line. Throws
// Error(kNoInput) for a named store or hub that does not exist, and what reading them throws.
RecordLayers OpenRecords(const RecordOptions& options, const std::string& model);
// Adds those behind the user's store.
void AddOtherRecords(const RecordOptions& options, const std::string& model, RecordLayers& layers);

// The hub's file; empty if there is none.
std::string HubPath(const std::string& hub);

}  // namespace hone
