// The keys and values of an attention, packed into a worker's workspace, up to the keys that a run has.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/ops/attention/kernel_plan.h"
#include "compiler/schedules/matmul/matmul_shape.h"

namespace hone {

// Emits code. All references must outlive the object.
class KeyPacker {
 public:
  KeyPacker(KernelBuilder& builder, const AttentionParts& parts, const MatmulShape& scores, const MatmulShape& values,
            const AttentionTiles& tiles, const AttentionWorkspace& space, const MatmulOperand& keys,
            const MatmulOperand& value_rows, Value* workspace, const StageArgs& args);

  // The keys that a run needs, up to whole vectors and tiles; a constant where all of them are.
  Value* keys_needed() const { return keys_needed_; }
  bool needs_all_keys() const { return llvm::isa<llvm::Constant>(keys_needed_); }
  // The depth of a sum over keys, as PanelPacking and MatmulTile take it.
  Value* depth() const { return needs_all_keys() ? nullptr : keys_needed_; }

  // Packs those of a product. Values behind the last key are zeros, whatever lies there. `is_first`: whether the worker
  // has packed those of no product before it, which may be the same ones.
  void Pack(Value* product, Value* is_first) const;
  // Runs body for each panel of the first `needed` of `all` columns; the last one of all may have fewer columns.
  void ForPanels(int64_t all, Value* needed, int64_t columns,
                 const std::function<void(Value* panel, int64_t width)>& body) const;
  // Writes `bytes` zeros; a multiple of 4.
  void Zero(Value* from, int64_t bytes) const;

 private:
  struct Panel {
    int64_t columns, steps;
    Value* all;              // columns of the matrix that are needed
    Value* depth = nullptr;  // of the sum; null: all of it
    int64_t bytes() const { return columns * steps * AttentionWorkspace::kBytes; }
  };

  Value* KeysNeeded() const;
  void PackMatrix(const MatmulShape& shape, const MatmulOperand& matrix, Value* product, const Panel& panel_size,
                  Value* to) const;
  void ZeroValuesBehindKeys() const;
  void ZeroSecondOfPairs(Value* step) const;

  KernelBuilder& b_;
  const MatmulShape &s_, &v_;
  const AttentionTiles& t_;
  const AttentionWorkspace& space_;
  const MatmulOperand &keys_, &values_;
  const AttentionParts& parts_;
  Value* const packed_;
  Value* const key_count_;  // null: all keys count
  Value* const keys_needed_;
};

}  // namespace hone
