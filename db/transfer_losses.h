// The loss of a kind of machine that runs the kernels which another kind found best.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/verdicts/best_lookup.h"

namespace hone {

// Whether a ranked row was measured on another kind of machine than the wanted one, or with other threads.
bool IsForeign(const BestRow& row, const BestWanted& wanted);

struct TransferLoss {
  double share = 0;  // 0.12: its kernels take 1.12 times the best time that is known there
  int tasks = 0;     // number of tasks that both kinds measured; from 1
  bool operator==(const TransferLoss&) const = default;
};

// A column of the matrix between kinds of machines: from each kind to the one that a build is for. A kind is a
// microarchitecture (SameModel) and a number of threads.
//
//                     best of kind A          the wanted kind's times
//     task 1          a = {tile 4}            tile 4: 110   tile 8: 100      110 / 100
//     task 2          a = {tile 2}            tile 2:  90   tile 6:  90       90 /  90
//     task 3          a = {tile 8}            tile 4:  70   tile 6:  75      not connected: no time of tile 8 there
//                                             A's loss: sqrt(1.1 * 1.0) - 1 = 4.9 % of 2 tasks
//
// Times are least samples, compared only within one Setup. A task counts once, as the geometric mean over its pairs of
// setups. The wanted kind's setup must have timed at least two candidates: its best would otherwise mean nothing.
class TransferLosses {
 public:
  explicit TransferLosses(BestWanted wanted) : wanted_(std::move(wanted)) {}

  // Takes all rows of one workload. Called once for each workload.
  void Add(std::vector<BestRow> rows);

  // nullopt for rows of the wanted kind itself, and if no task connects the row's kind with it. The row must be ranked
  // for the same BestWanted.
  std::optional<TransferLoss> Of(const BestRow& row) const;

  // Sets expected_loss of rows that LookUpBest ranked for the same BestWanted, and sorts them again. Among the foreign
  // kinds of a rank the one with the least loss comes first, and kinds with unknown loss come last. If no loss is
  // known, the rows stay unchanged.
  void Order(std::vector<BestRow>& ranked) const;

 private:
  struct Sum {
    double of_logs = 0;
    int tasks = 0;
  };

  const BestWanted wanted_;
  std::map<std::string, Sum> sums_;  // by kind
};

}  // namespace hone
