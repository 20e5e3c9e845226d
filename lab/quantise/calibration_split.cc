#include "lab/quantise/calibration_split.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <utility>

namespace hone {
namespace {

// Random inputs cost nothing, and a single one does not show how much errors vary.
constexpr ptrdiff_t kDrawnJudges = 8;

}  // namespace

CalibrationSplit SplitCalibration(std::vector<CalibrationSample> all) {
  constexpr size_t kEvery = 5;
  CalibrationSplit split;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    const bool out = count >= kEvery && i % kEvery == kEvery - 1;
    (out ? split.held_out : split.seen).push_back(std::move(all[i]));
  }
  return split;
}

std::string JudgesText(size_t held_out) {
  if (held_out == 0) return "the same ones";
  return fmt::format("{} other{}", held_out, held_out == 1 ? "" : "s");
}

CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed, const ImageOptions& images) {
  if (from != "random") return SplitCalibration(ReadCalibration(from, specs, images));
  CalibrationSplit split;
  split.seen = RandomCalibration(specs, drawn + kDrawnJudges, seed);
  const auto judges = split.seen.end() - kDrawnJudges;
  split.held_out.assign(std::make_move_iterator(judges), std::make_move_iterator(split.seen.end()));
  split.seen.erase(judges, split.seen.end());
  return split;
}

}  // namespace hone
