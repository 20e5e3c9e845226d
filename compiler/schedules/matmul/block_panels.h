// The packed operands of an nn.dense_blocks: panels of words, scales and zero points, all NK{oc_block}n.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/artifact.h"
#include "core/block_format.h"
#include "core/workload.h"

namespace hone {

inline constexpr int64_t kWordBytes = 4;  // of packed integers

// Adds scales and zero points, units x blocks, behind data and words. The layout has the axes NK.
void AddBlockOperands(const Workload& workload, const Layout& layout, std::vector<KernelOperand>& operands);
// The operands of a kernel whose panels have `oc_block` columns.
std::vector<KernelOperand> DenseBlockOperands(const Workload& workload, int64_t oc_block, const Epilogue& epilogue);
// Operands before those of the epilogue: data, words, scales and perhaps zero points.
int BlockOperands(const Workload& workload);
// Bytes of a panel of `oc_block` columns.
int64_t BlockPanelBytes(const Workload& workload, int64_t oc_block);

// Addresses of a panel's operands, from one of its blocks on. `zeros` is null without zero points.
struct PanelAddresses {
  Value *words = nullptr, *scales = nullptr, *zeros = nullptr;
};

class BlockPanels {
 public:
  // `lanes` columns make a vector. Emits loads, so it is made before the kernel's loops.
  BlockPanels(KernelBuilder& b, const Workload& workload, const StageArgs& args, int64_t oc_block, int lanes);

  const BlockFormat& format() const { return format_; }
  PanelAddresses Panel(Value* panel) const;
  PanelAddresses Block(const PanelAddresses& panel, Value* block) const;
  // One vector for each `lanes` columns: of float32, of int32 (none without zero points), of int32. Scales are fetched
  // as many blocks ahead as fit into `prefetch` times 4 KiB of their words.
  Vals Scales(const PanelAddresses& at, int vectors, int64_t prefetch = 0) const;
  Vals Zeros(const PanelAddresses& at, int vectors) const;
  // The words number `word` of the block, each fetched `prefetch` times 4 KiB ahead, too.
  Vals Words(const PanelAddresses& at, Value* word, int vectors, int64_t prefetch) const;

 private:
  // `words`, `scales` and `zeros` lines of columns behind the address.
  PanelAddresses Behind(const PanelAddresses& at, Value* index, int64_t words, int64_t blocks) const;

  KernelBuilder& b_;
  BlockFormat format_;
  int64_t depth_, oc_block_;
  int lanes_;
  PanelAddresses first_;
};

}  // namespace hone
