#include "tuner/search/boosted_trees.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

constexpr int kRounds = 60;

void Check(int status) {
  if (status != 0) throw Error(ExitCode::kBug, fmt::format("xgboost: {}", XGBGetLastError()));
}

class Matrix {
 public:
  explicit Matrix(const std::vector<Features>& rows) {
    static_assert(sizeof(Features) == kFeatures * sizeof(float));
    Check(XGDMatrixCreateFromMat(rows.front().data(), rows.size(), kFeatures, std::nanf(""), &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct BoostedTrees::Impl {
  BoosterHandle booster = nullptr;
  ~Impl() {
    if (booster != nullptr) XGBoosterFree(booster);
  }
};

BoostedTrees::BoostedTrees(const std::vector<Features>& rows, const std::vector<float>& targets)
    : impl_(std::make_unique<Impl>()) {
  const Matrix matrix(rows);
  Check(XGDMatrixSetFloatInfo(matrix.get(), "label", targets.data(), targets.size()));
  const DMatrixHandle matrices[] = {matrix.get()};
  Check(XGBoosterCreate(matrices, 1, &impl_->booster));
  const float mean = std::accumulate(targets.begin(), targets.end(), 0.0F) / static_cast<float>(targets.size());
  const std::pair<const char*, std::string> parameters[] = {{"objective", "reg:squarederror"},
                                                            {"tree_method", "hist"},
                                                            {"max_bin", "64"},
                                                            {"max_depth", "3"},
                                                            {"eta", "0.2"},
                                                            {"lambda", "1"},
                                                            {"nthread", "1"},
                                                            {"verbosity", "0"},
                                                            {"base_score", fmt::format("{}", mean)}};
  for (const auto& [name, value] : parameters) Check(XGBoosterSetParam(impl_->booster, name, value.c_str()));
  for (int round = 0; round < kRounds; ++round) Check(XGBoosterUpdateOneIter(impl_->booster, round, matrix.get()));
}

BoostedTrees::~BoostedTrees() = default;

std::vector<float> BoostedTrees::Predict(const std::vector<Features>& rows) const {
  if (rows.empty()) return {};
  const Matrix matrix(rows);
  bst_ulong count = 0;
  const float* values = nullptr;
  Check(XGBoosterPredict(impl_->booster, matrix.get(), 0, 0, 0, &count, &values));
  return {values, values + count};
}

}  // namespace hone
