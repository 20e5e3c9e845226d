#include <algorithm>

#include "compiler/schedules/conv2d/conv2d_direct.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/tile_row.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

int64_t LargestDivisorUpTo(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d) {
    if (n % d == 0 && (d & (d - 1)) == 0) return d;
  }
  return 1;
}

// With groups a block must not straddle two of them.
int64_t OutBlock(const ConvShape& s, int lanes) {
  return s.groups == 1 ? lanes : LargestDivisorUpTo(s.group_out, lanes);
}
// A thin input is read as plain NCHW: a block of 16 for 3 channels would multiply zeros. Bytes come in fours, bfloat16
// in pairs.
int64_t InBlock(const Workload& w, int lanes) {
  const ConvShape s(w);
  if (s.groups > 1) return LargestDivisorUpTo(s.group_in, lanes);
  const int dot = DotGroup(w.types);
  if (dot > 1) return s.C <= dot ? dot : lanes;
  return s.C < lanes / 2 ? 1 : lanes;
}

std::vector<int64_t> Divisors(int64_t n, int64_t limit) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(n, limit); ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

}  // namespace

std::vector<int64_t> DirectKnobs::OutputBlocks(const Workload& w, const MachineModel& machine) {
  const ConvShape s(w);
  std::vector<int64_t> blocks{OutBlock(s, machine.vector_lanes)};
  // The block that conv2d_amx reads without copying it.
  const int64_t row = TileRow(w.types.output, machine);
  if (s.groups == 1 && row != 0) blocks.push_back(row);
  return blocks;
}

std::vector<int64_t> DirectKnobs::InputBlocks(const Workload& w, const MachineModel& machine) {
  return {InBlock(w, machine.vector_lanes)};
}

std::vector<int64_t> DirectKnobs::BlocksOfTile(const Workload& w, const MachineModel& machine) {
  const ConvShape s(w);
  const int64_t blocks = CeilDiv(s.group_out, OutBlock(s, machine.vector_lanes));
  std::vector<int64_t> tiles = Divisors(blocks, 8);
  // A tile would have one block of 11, 13 or 17. The last tile may have fewer blocks instead.
  const bool is_alone = tiles.size() == 1 && blocks > 1 && s.groups == 1 && !w.types.whole();
  if (is_alone) tiles.insert(tiles.end(), {2, 3, 4});
  return tiles;
}

std::vector<int64_t> DirectKnobs::TileWidths(const Workload& w, const MachineModel& machine) {
  const int64_t longest = ConvShape(w).OW * JoinedRows(w, machine).back();
  std::vector<int64_t> widths;
  for (int64_t t = 1; t <= std::min<int64_t>(machine.vector_registers - 2, longest); ++t) widths.push_back(t);
  return widths;
}

std::vector<int64_t> DirectKnobs::JoinedRows(const Workload& w, const MachineModel&) {
  const ConvShape s(w);
  if (!s.pointwise()) return {1};
  std::vector<int64_t> rows = Divisors(s.OH, 8);
  if (s.OH > 8 && s.OH * s.OW <= 256) rows.push_back(s.OH);
  return rows;
}

std::vector<int64_t> DirectKnobs::Unrolls(const Workload& w, const MachineModel& machine) {
  const int64_t dot = DotGroup(w.types);
  std::vector<int64_t> unrolls{dot};
  for (int64_t u : {2 * dot, 4 * dot, 8 * dot}) {
    if (InBlock(w, machine.vector_lanes) % u == 0) unrolls.push_back(u);
  }
  return unrolls;
}

std::vector<int64_t> DirectKnobs::Chunks(const Workload& w, const MachineModel& machine) {
  if (w.types.output != w.types.accumulator) return {0};
  const ConvShape s(w);
  const int64_t in_blocks = CeilDiv(s.group_in, InBlock(w, machine.vector_lanes));
  std::vector<int64_t> chunks{0};
  for (int64_t c : {1, 2, 4, 8, 16, 32}) {
    if (c < in_blocks) chunks.push_back(c);
  }
  return chunks;
}

}  // namespace hone
