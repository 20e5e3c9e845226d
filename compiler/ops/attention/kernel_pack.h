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

  // Whether values of a run's keys are dense rows of whole vectors, which are read where they lie and not packed. A
  // copy of a long cache would push the cache itself out of the second cache.
  bool reads_values() const;
  // The depth of sums over values that are read so: the run's keys and no more.
  Value* values_depth() const { return b_.Min(b_.Max(key_count_, b_.Index(0)), b_.Index(v_.K)); }
  // The first value of a product that is read so.
  Value* ValuesOf(Value* product) const { return values_.Matrix(b_, b_.Div(product, parts_.products_per_values)); }

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
