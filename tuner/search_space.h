// Everything a task may try: the configs of all its schedules, without those that a schedule rejects.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "tuner/strategy.h"

namespace hone {

// Thread-compatible; the schedules must outlive it.
class SearchSpace {
 public:
  struct Ranked {
    Proposal proposal;
    double estimate_ns = 0;
  };

  // Enumerates the space when it has at most kMostEnumerated configs, and otherwise draws kDrawn of them with a seed of
  // its own, so that equal tasks have equal spaces.
  explicit SearchSpace(const SearchTask& task);
  static constexpr int64_t kMostEnumerated = 60'000;
  static constexpr int64_t kDrawn = 4'096;

  // Valid configs, the best estimate first: all of them when complete(), else those drawn. Never empty for a task whose
  // schedules accept anything; the first is the analytic default.
  const std::vector<Ranked>& ranked() const { return ranked_; }
  bool complete() const { return complete_; }
  // Configs before any is rejected.
  int64_t size() const { return size_; }

  // Names a proposal whatever the order of its config's knobs.
  std::string Key(const Proposal& proposal) const;
  bool Valid(const Proposal& proposal) const;
  double EstimateNs(const Proposal& proposal) const;
  // Null when the task has no schedule of that name.
  const Schedule* Find(const std::string& schedule) const;

  // A valid config drawn evenly from the configs of an evenly drawn schedule, or nullopt when none was met in 64 draws.
  std::optional<Proposal> Sample(Random& random) const;
  // Each knob from either parent; of one schedule. May be invalid.
  Proposal Cross(const Proposal& a, const Proposal& b, Random& random) const;
  // One knob moved to a neighbouring value (or, one time in four, to any). May be invalid.
  Proposal Mutate(const Proposal& parent, Random& random) const;

 private:
  struct Part {
    const Schedule* schedule = nullptr;
    ConfigSpace space;
  };
  const Part* PartOf(const std::string& schedule) const;
  void Enumerate();
  // What AnalyticDefault gives, of these schedules.
  std::optional<Ranked> Default() const;
  void Draw();
  void Rank(const Part& part, Config config);

  Workload workload_;
  MachineModel machine_;
  std::vector<Part> parts_;
  std::vector<Ranked> ranked_;
  int64_t size_ = 0;
  bool complete_ = false;
};

// The task's space, made when the task has none yet.
std::shared_ptr<const SearchSpace> SpaceOf(const SearchTask& task);

}  // namespace hone
