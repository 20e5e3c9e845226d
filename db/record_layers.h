// Where a build looks for records: several stores and packs, as if they were one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/best_lookup.h"
#include "db/record.h"
#include "db/record_store.h"

namespace hone {

// What the user's own store is called.
inline constexpr const char* kStoreOrigin = "store";

// One of them. Read by one thread at a time.
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
// Of a pack's records, or others that do not change.
std::unique_ptr<RecordLayer> FixedLayer(const std::vector<Record>& records);

class RecordLayers {
 public:
  // The nearest first: what a nearer layer holds counts as later, and a record that several hold is the nearest's.
  // `origin`: what people read of it, as "hub".
  enum class Reach { kAnyMachine, kOwnKind };  // kOwnKind: BestRow::own_kind
  void Add(std::string origin, std::unique_ptr<RecordLayer> layer, Reach reach = Reach::kAnyMachine);

  bool empty() const { return layers_.empty(); }
  // What all layers hold of the workload; seq counts through all of them, and `layer` is the place in the order of Add.
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
