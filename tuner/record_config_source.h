// The record store as a build's source of configs.
#pragma once

#include <string>
#include <vector>

#include "compiler/config_source.h"
#include "db/record_store.h"

namespace hone {

// Looks records up as RecordStore::Best ranks them. The store must outlive it.
class RecordConfigSource : public ConfigSource {
 public:
  RecordConfigSource(const RecordStore& store, std::string cpu_model)
      : store_(store), cpu_model_(std::move(cpu_model)) {}
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;
  // Of the best record's rank, CPU model and threads: what was timed elsewhere is no measure here.
  std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                       const ConfigClass& class_of) override;

 private:
  const RecordStore& store_;
  std::string cpu_model_;
};

}  // namespace hone
