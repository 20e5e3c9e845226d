// Gradient-boosted regression trees: the only file pair that knows xgboost.
#pragma once

#include <memory>
#include <vector>

#include "tuner/features.h"

namespace hone {

// Fitted once; equal data give equal trees (one thread, no sampling). Chen and Guestrin, "XGBoost: A Scalable Tree
// Boosting System", 2016. Not thread-safe.
class BoostedTrees {
 public:
  // As many targets as rows, at least one. Throws Error(kBug) when the library refuses.
  BoostedTrees(const std::vector<Features>& rows, const std::vector<float>& targets);
  ~BoostedTrees();
  // One prediction per row.
  std::vector<float> Predict(const std::vector<Features>& rows) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone
