// The record store as a build's source of configs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config_source.h"
#include "db/record_store.h"

namespace hone {

// Looks records up as RecordStore::Best ranks them. The store must outlive it.
class RecordConfigSource : public ConfigSource {
 public:
  // `machine`: that the build is for; not known when it is for others than this one.
  RecordConfigSource(const RecordStore& store, Fingerprint machine) : store_(store), machine_(std::move(machine)) {}
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;
  // Of the best record's rank, machine, threads and code: what was timed elsewhere is no measure here.
  std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                       const ConfigClass& class_of) override;

 private:
  const RecordStore& store_;
  Fingerprint machine_;
};

}  // namespace hone
