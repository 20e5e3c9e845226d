// The sums of one block of packed integers times quantised rows, by the best instructions of the machine.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/matmul/quantised_rows.h"
#include "compiler/schedules/parts/register_tile.h"

namespace hone {

// The way in which four products of bytes are added.
enum class BlockStep : uint8_t {
  kFours,   // onto int32, as DotProduct does
  kShorts,  // onto two int16, which join int32 at the end of a part: x86 without VNNI, weights of 2 and 4 bits
  kSigns,   // through two int16 onto int32, of magnitudes times signed rows: the same for weights of 8 bits
};

// The step of a kernel whose vectors have `lanes` columns.
BlockStep BlockStepOn(const MachineModel& machine, const BlockFormat& format, int lanes);
// The rows as such a step reads them.
QuantisedRows RowsForStep(BlockStep step, const BlockFormat& format, int64_t columns);
// The time of one step of a register, in multiply-adds of float32.
double StepCost(BlockStep step, const MachineModel& machine);

class BlockDots {
 public:
  // `unroll` words make an inner iteration. All references must outlive the object.
  BlockDots(KernelBuilder& b, const QuantisedRows& rows, const BlockPanels& panels, int lanes, int64_t unroll,
            int64_t prefetch);

  // Block number `block` of the panel, which begins at `at` and has `columns` columns, times the rows at `x`. Exact;
  // int32 in the order of the tile's accumulators.
  Vals Sums(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
            int64_t columns) const;

 private:
  using Body = std::function<void(Vals& acc, Value* word)>;

  Vals OverWords(int64_t from, int64_t to, Vals sums, const Body& body) const;
  Vals StartValues(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
                   bool with_middle) const;
  Vals SumsInShorts(const RegisterTile& registers, const Vals& x, const PanelAddresses& at, Value* block,
                    int64_t columns) const;
  void Word(const RegisterTile& registers, Vals& acc, const Vals& x, Value* first, Value* word,
            const PanelAddresses& at) const;
  Value* Group(Value* words, int64_t g) const;
  Value* Centred(Value* words) const;
  Value* Step(Value* fours, Value* weights, Value* sum) const;
  int64_t Middle() const;

  KernelBuilder& b_;
  const QuantisedRows& rows_;
  const BlockPanels& panels_;
  int lanes_;
  int64_t unroll_, prefetch_;
  BlockStep step_;
  bool bytes_are_signed_;
};

}  // namespace hone
