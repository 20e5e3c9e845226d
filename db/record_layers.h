// The sources of records for a build: several stores and packs, read as one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// The origin of records in the user's own store.
inline constexpr const char* kStoreOrigin = "store";

// One source of records. Read by one thread at a time.
class RecordLayer {
 public:
  virtual ~RecordLayer() = default;
  // All records of the workload, in the order of arrival.
  virtual std::vector<BestRow> Rows(const std::string& workload) const = 0;
  virtual std::optional<Record> Get(const std::string& id) const = 0;
  // The texts of all workloads that have records, in alphabetic order.
  virtual std::vector<std::string> Workloads() const = 0;
};
std::unique_ptr<RecordLayer> StoreLayer(std::shared_ptr<const RecordStore> store);
// The layer without the records of a run, and without those that came after the first `until`.
std::unique_ptr<RecordLayer> LayerBefore(std::unique_ptr<RecordLayer> layer, int64_t until, std::string session);
// A layer of a pack's records, or of others that do not change.
std::unique_ptr<RecordLayer> FixedLayer(const std::vector<Record>& records);

// A pointer to a store of the caller, which must outlive it.
std::shared_ptr<const RecordStore> Borrowed(const RecordStore& store);

class RecordLayers {
 public:
  // Layers are added nearest first. Records of a nearer layer count as later, and a record in several layers belongs
  // to the nearest. `origin` is its name for people, such as "hub".
  enum class Reach { kAnyMachine, kOwnKind };  // kOwnKind: BestRow::own_kind
  void Add(std::string origin, std::unique_ptr<RecordLayer> layer, Reach reach = Reach::kAnyMachine);

  bool empty() const { return layers_.empty(); }
  // The rows of the workload in all layers. seq counts through all of them, and `layer` is the index in the order of
  // Add.
  std::vector<BestRow> Rows(const std::string& workload) const;
  std::optional<Record> Get(const std::string& id) const;
  std::vector<std::string> Workloads() const;
  const std::string& OriginOf(const BestRow& row) const { return layers_.at(static_cast<size_t>(row.layer)).origin; }

 private:
  struct Named {
    std::string origin;
    std::unique_ptr<RecordLayer> layer;
    bool own_kind = false;
  };
  std::vector<Named> layers_;
};

}  // namespace hone
