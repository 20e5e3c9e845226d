// What a device's golden kernel took so far, and so what it should take: docs/measuring.md, "Health".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/serialize.h"

namespace hone {

// Runs in which the device was not known to be slow, oldest first. A value; times of a run are one of each part, in ns.
class GoldenHistory {
 public:
  static constexpr size_t kMost = 512;
  // Before so many nothing is judged.
  static constexpr size_t kEnough = 32;
  // Once there are enough, one run in so long is kept, so that kMost span a working day.
  static constexpr int64_t kSpacingNs = 60'000'000'000;

  explicit GoldenHistory(size_t parts) : parts_(parts) {}

  // `at_ns` never falls. Drops the oldest beyond kMost.
  void Add(const std::vector<int64_t>& times, int64_t at_ns);
  size_t size() const { return runs_.size(); }
  size_t parts() const { return parts_; }
  bool enough() const { return runs_.size() >= kEnough; }

  // What a part takes when nothing disturbs it, in ns: the median of the least of each kBlock runs in a row. 0 before
  // there is a block. Neighbours only ever add time, and hardly reach the least of a block.
  double Usual(size_t part) const { return part < usual_.size() ? usual_[part] : 0; }
  // How far above its usual time a part may be before that says anything: at least kLeastLimit, and kDeviations robust
  // standard deviations of this device's own blocks (1.4826 times their median absolute deviation). 1.025 is 2.5 %.
  double Limit(size_t part) const { return part < limit_.size() ? limit_[part] : kLeastLimit; }
  static constexpr size_t kBlock = 4;
  static constexpr double kLeastLimit = 1.025;
  static constexpr double kDeviations = 5;
  // The usual times of all parts together, in ns: by it two devices are compared.
  int64_t UsualNs() const;

  // {"parts", "runs"}; times alone, as the clock of another boot means nothing.
  Json ToJson() const;
  // Throws Error(kBadData) on anything else.
  static GoldenHistory FromJson(const Json& json);
  bool operator==(const GoldenHistory& other) const { return parts_ == other.parts_ && runs_ == other.runs_; }

 private:
  std::vector<double> BlocksOf(size_t part) const;
  void Summarise();

  size_t parts_;
  std::deque<std::vector<int64_t>> runs_;
  std::optional<int64_t> last_ns_;  // when the newest run was; absent when it is from a file
  std::vector<double> usual_, limit_;
};

}  // namespace hone
