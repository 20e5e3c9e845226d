// All configs that a task may try: those of all its schedules, except those that a schedule rejects.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "tuner/search/strategy.h"

namespace hone {

// Thread-compatible; the schedules must outlive it.
class SearchSpace {
 public:
  struct Ranked {
    Proposal proposal;
    double estimate_ns = 0;
  };

  // Enumerates the space when it has at most kMostEnumerated configs. Otherwise draws kDrawn of them with a fixed
  // seed, so that equal tasks have equal spaces.
  explicit SearchSpace(const SearchTask& task);
  static constexpr int64_t kMostEnumerated = 60'000;
  static constexpr int64_t kDrawn = 4'096;

  // Valid configs, the best estimate first: all of them if complete(), else those drawn. Never empty for a task whose
  // schedules accept anything; the first is the analytic default.
  const std::vector<Ranked>& ranked() const { return ranked_; }
  bool complete() const { return complete_; }
  // The number of configs before any is rejected.
  int64_t size() const { return size_; }

  // A key of the proposal that does not depend on the order of its config's knobs.
  std::string Key(const Proposal& proposal) const;
  bool Valid(const Proposal& proposal) const;
  double EstimateNs(const Proposal& proposal) const;
  // Null when the task has no schedule of that name.
  const Schedule* Find(const std::string& schedule) const;

  // A valid config drawn evenly from the configs of an evenly drawn schedule; nullopt when 64 draws found none.
  std::optional<Proposal> Sample(Random& random) const;
  // Takes each knob from either parent; both are of one schedule. May be invalid.
  Proposal Cross(const Proposal& a, const Proposal& b, Random& random) const;
  // Moves one knob to a neighbouring value (or, one time in four, to any). May be invalid.
  Proposal Mutate(const Proposal& parent, Random& random) const;

 private:
  struct Part {
    const Schedule* schedule = nullptr;
    ConfigSpace space;
  };
  const Part* PartOf(const std::string& schedule) const;
  void Enumerate();
  // The result of AnalyticDefault among these schedules.
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

// The task's space, or a new one when the task has none.
std::shared_ptr<const SearchSpace> SpaceOf(const SearchTask& task);

}  // namespace hone
