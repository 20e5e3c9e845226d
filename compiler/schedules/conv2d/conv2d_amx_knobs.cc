#include <algorithm>

#include "compiler/schedules/conv2d/conv2d_amx.h"

namespace hone {

// A full row of a tile, or the block that other schedules write.
std::vector<int64_t> AmxKnobs::OutputBlocks(const Workload& w, const MachineModel& machine) {
  return {TileProductOf(w.types)->channels, machine.vector_lanes};
}

std::vector<int64_t> AmxKnobs::InputBlocks(const Workload& w, const MachineModel& machine) {
  if (w.data[1] <= kThinChannels) return {1, kThinChannels};
  return OutputBlocks(w, machine);
}

std::vector<int64_t> AmxKnobs::Bands(const Workload& w, const MachineModel&) {
  const ConvShape s(w);
  std::vector<int64_t> bands;
  for (int64_t rows = 1; rows <= std::min<int64_t>(s.OH, 8); ++rows) {
    if (s.OH % rows == 0) bands.push_back(rows);
  }
  if (s.OH > 8 && s.OH * s.OW <= 1024) bands.push_back(s.OH);
  return bands;
}

}  // namespace hone
