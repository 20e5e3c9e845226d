#include "db/record_layers.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace hone {
namespace {

class OfStore : public RecordLayer {
 public:
  explicit OfStore(std::shared_ptr<const RecordStore> store) : store_(std::move(store)) {}
  std::vector<BestRow> Rows(const std::string& workload) const override { return store_->Rows(workload); }
  std::optional<Record> Get(const std::string& id) const override { return store_->Get(id); }
  std::vector<std::string> Workloads() const override { return store_->Workloads(); }

 private:
  const std::shared_ptr<const RecordStore> store_;
};

class Fixed : public RecordLayer {
 public:
  explicit Fixed(const std::vector<Record>& records) {
    for (const Record& record : records) {
      std::vector<Record>& of_workload = records_[record.candidate.workload.ToText()];
      of_workload.push_back(record);
    }
  }

  std::vector<BestRow> Rows(const std::string& workload) const override {
    std::vector<BestRow> rows;
    const auto found = records_.find(workload);
    if (found == records_.end()) return rows;
    for (const Record& record : found->second) rows.push_back(BestRowOf(record, static_cast<int64_t>(rows.size()) + 1));
    return rows;
  }

  std::optional<Record> Get(const std::string& id) const override {
    for (const auto& [workload, records] : records_) {
      const auto found = std::find_if(records.begin(), records.end(), [&](const Record& r) { return r.id == id; });
      if (found != records.end()) return *found;
    }
    return std::nullopt;
  }

  std::vector<std::string> Workloads() const override {
    std::vector<std::string> workloads;
    workloads.reserve(records_.size());
    for (const auto& [workload, records] : records_) workloads.push_back(workload);
    return workloads;
  }

 private:
  std::map<std::string, std::vector<Record>> records_;
};

}  // namespace

std::unique_ptr<RecordLayer> StoreLayer(std::shared_ptr<const RecordStore> store) {
  return std::make_unique<OfStore>(std::move(store));
}

namespace {

class Before : public RecordLayer {
 public:
  Before(std::unique_ptr<RecordLayer> layer, int64_t until, std::string session)
      : layer_(std::move(layer)), until_(until), session_(std::move(session)) {}

  std::vector<BestRow> Rows(const std::string& workload) const override {
    std::vector<BestRow> rows = layer_->Rows(workload);
    std::erase_if(rows, [this](const BestRow& row) { return row.seq > until_ || row.session == session_; });
    return rows;
  }
  std::optional<Record> Get(const std::string& id) const override { return layer_->Get(id); }
  std::vector<std::string> Workloads() const override { return layer_->Workloads(); }

 private:
  const std::unique_ptr<RecordLayer> layer_;
  const int64_t until_;
  const std::string session_;
};

}  // namespace

std::unique_ptr<RecordLayer> LayerBefore(std::unique_ptr<RecordLayer> layer, int64_t until, std::string session) {
  return std::make_unique<Before>(std::move(layer), until, std::move(session));
}

std::unique_ptr<RecordLayer> FixedLayer(const std::vector<Record>& records) { return std::make_unique<Fixed>(records); }

std::shared_ptr<const RecordStore> Borrowed(const RecordStore& store) { return {std::shared_ptr<void>(), &store}; }

void RecordLayers::Add(std::string origin, std::unique_ptr<RecordLayer> layer, Reach reach) {
  layers_.push_back({std::move(origin), std::move(layer), reach == Reach::kOwnKind});
}

std::vector<BestRow> RecordLayers::Rows(const std::string& workload) const {
  if (layers_.size() == 1 && !layers_.front().own_kind) return layers_.front().layer->Rows(workload);
  std::vector<std::vector<BestRow>> by_layer;
  std::unordered_set<std::string> known;
  for (size_t i = 0; i < layers_.size(); ++i) {
    std::vector<BestRow> rows = layers_[i].layer->Rows(workload);
    std::erase_if(rows, [&](const BestRow& row) { return !known.insert(row.id.text()).second; });
    for (BestRow& row : rows) {
      row.layer = static_cast<int>(i);
      row.own_kind = layers_[i].own_kind;
    }
    by_layer.push_back(std::move(rows));
  }
  std::vector<BestRow> all;
  for (auto rows = by_layer.rbegin(); rows != by_layer.rend(); ++rows) {
    for (BestRow& row : *rows) {
      row.seq = static_cast<int64_t>(all.size()) + 1;
      all.push_back(std::move(row));
    }
  }
  return all;
}

std::optional<Record> RecordLayers::Get(const std::string& id) const {
  for (const Named& named : layers_) {
    if (auto record = named.layer->Get(id)) return record;
  }
  return std::nullopt;
}

std::vector<std::string> RecordLayers::Workloads() const {
  std::set<std::string> all;
  for (const Named& named : layers_) {
    for (std::string& workload : named.layer->Workloads()) all.insert(std::move(workload));
  }
  return {all.begin(), all.end()};
}

}  // namespace hone
