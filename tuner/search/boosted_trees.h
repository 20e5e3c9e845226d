// Gradient-boosted regression trees. Only boosted_trees.cc includes xgboost.
#pragma once

#include <memory>
#include <vector>

#include "tuner/search/features.h"

namespace hone {

// Fitted once. Equal data give equal trees (one thread, no sampling). Chen and Guestrin, "XGBoost: A Scalable Tree
// Boosting System", 2016. Not thread-safe.
class BoostedTrees {
 public:
  // Takes as many targets as rows, at least one. Throws Error(kBug) when the library refuses.
  BoostedTrees(const std::vector<Features>& rows, const std::vector<float>& targets);
  ~BoostedTrees();
  // One prediction per row.
  std::vector<float> Predict(const std::vector<Features>& rows) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone
