// The past times of a device's golden kernel, and its expected time: docs/why/measuring.md, "Health".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

// Runs in which the device was not known to be slow, oldest first. A run has one time per part, in ns. A value type.
class GoldenHistory {
 public:
  static constexpr size_t kMost = 512;
  // The number of runs below which nothing is judged.
  static constexpr size_t kEnough = 32;
  // Once there are enough, one run per kSpacingNs is kept, so that kMost runs span a working day.
  static constexpr int64_t kSpacingNs = 60'000'000'000;

  explicit GoldenHistory(size_t parts) : parts_(parts) {}

  // `at_ns` must not decrease. Drops the oldest run beyond kMost.
  void Add(const std::vector<int64_t>& times, int64_t at_ns);
  size_t size() const { return runs_.size(); }
  size_t parts() const { return parts_; }
  bool enough() const { return runs_.size() >= kEnough; }

  // A part's undisturbed time in ns: the median over all blocks of the least time of kBlock successive runs. 0 before
  // there is a block. Neighbours only ever add time, and hardly affect the least of a block.
  double Usual(size_t part) const { return part < usual_.size() ? usual_[part] : 0; }
  // The ratio to the usual time above which a part counts as slow; 1.025 means 2.5 %. It is at least kLeastLimit, and
  // allows kDeviations robust standard deviations of this device's own blocks (1.4826 times their median absolute
  // deviation).
  double Limit(size_t part) const { return part < limit_.size() ? limit_[part] : kLeastLimit; }
  static constexpr size_t kBlock = 4;
  static constexpr double kLeastLimit = 1.025;
  static constexpr double kDeviations = 5;
  // The sum of all parts' usual times in ns, by which devices are compared.
  int64_t UsualNs() const;

  // {"parts", "runs"}. Only times are kept, because the clock of another boot means nothing.
  Json ToJson() const;
  // Throws Error(kBadData) for anything else.
  static GoldenHistory FromJson(const Json& json);
  bool operator==(const GoldenHistory& other) const { return parts_ == other.parts_ && runs_ == other.runs_; }

 private:
  std::vector<double> BlocksOf(size_t part) const;
  void Summarise();

  size_t parts_;
  std::deque<std::vector<int64_t>> runs_;
  std::optional<int64_t> last_ns_;  // when the newest run was; absent if it is from a file
  std::vector<double> usual_, limit_;
};

// The version of the file in which a runner keeps it: docs/reference/formats.md, "Health history".
inline constexpr int kHealthVersion = 1;

// $XDG_STATE_HOME/hone, otherwise ~/.local/state/hone; empty if the system names neither.
std::string StateFolder();

// The file of a device in `folder`. `device` names all that its times depend on; another text means another file.
std::string HistoryPath(const std::string& folder, const std::string& device);

// The device's history. Empty if there is no file, or if the file is damaged or of another version, device or number of
// parts. For an unusable file, `problem` gets the reason in one line.
GoldenHistory LoadHistory(const std::string& path, const std::string& device, size_t parts, std::string* problem);

// Replaces the old file atomically. Returns the error in one line, or "" on success.
std::string SaveHistory(const std::string& path, const std::string& device, const GoldenHistory& history);

}  // namespace hone
