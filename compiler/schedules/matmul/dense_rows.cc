#include "compiler/schedules/matmul/dense_rows.h"

#include <algorithm>

#include "compiler/codegen/element.h"
#include "core/nth.h"

namespace hone {

void StoreDenseTile(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types,
                    const EpilogueAddresses& behind, const DenseTile& tile, const Vals& sums) {
  const RegisterTile& registers = tile.registers;
  const auto lanes = static_cast<int64_t>(registers.lanes);
  for (int p = 0; p < registers.pixels; ++p) {
    Value* row = b.Add(tile.row, p);
    Value* column = b.Mul(tile.panel, Bytes(types.output, tile.oc_block));
    Value* y = b.At(behind.Output(b, row), column);
    Value* r = epilogue.residual ? b.At(behind.Residual(b, row), column) : nullptr;
    const ChannelAddresses channels = behind.channels.Skip(b, tile.panel, tile.oc_block);
    const auto store = [&](Value* sum, int64_t at) {
      Value* to = b.At(y, Bytes(types.output, at));
      Value* residual = r ? b.At(r, Bytes(types.output, at)) : nullptr;
      b.Store(EmitEpilogue(b, epilogue, types, sum, channels.At(b, at, residual)), to);
    };
    for (int v = 0; v < registers.vectors; ++v) {
      Value* sum = Nth(sums, p * registers.vectors + v);
      const int64_t first = int64_t{v} * lanes, width = std::min(lanes, tile.columns - first);
      if (width == lanes) store(sum, first);
      for (int64_t lane = 0; width < lanes && lane < width; ++lane) {
        store(b.ir().CreateExtractElement(sum, static_cast<uint64_t>(lane)), first + lane);
      }
    }
  }
}

}  // namespace hone
