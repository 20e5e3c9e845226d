// TfIdfVectorizer: how often each of some sequences of numbers (n-grams) occurs in a row, also with gaps.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

constexpr int64_t kMostNgramColumns = int64_t{1} << 21;  // of the result
constexpr int64_t kLongestGram = 64;

class NgramCounts {
 public:
  explicit NgramCounts(const OnnxNodeView& view)
      : view_(view),
        pool_(view.Ints("pool_int64s", {})),
        begins_(view.Ints("ngram_counts", {})),
        columns_(view.Ints("ngram_indexes", {})) {
    if (view.HasAttr("pool_strings")) RefuseNode("its pool is text; find the numbers of words outside of the model");
    if (view.InputRank(0) < 1 || view.InputRank(0) > 2) {
      RefuseNode(fmt::format("its data is {}; it must be C or N x C", ShapeText(view.InputShape(0))));
    }
    const Shape shape = view.InputShape(0);
    rows_ = AsDType(view, view.Reshape(view.Input(0), {shape.size() == 2 ? shape[0] : 1, shape.back()}), DType::kInt64);
    for (const int64_t column : columns_) {
      if (column < 0 || column >= kMostNgramColumns) RefuseNode(fmt::format("ngram_indexes holds {}", column));
      width_ = std::max(width_, column + 1);
    }
    if (width_ == 0) RefuseNode("ngram_indexes is missing");
    for (size_t i = 0; i < begins_.size(); ++i) {
      const int64_t end = EndOf(i);
      if (begins_[i] < 0 || begins_[i] > end || end > Size() || (end - begins_[i]) % static_cast<int64_t>(i + 1) != 0) {
        RefuseNode("ngram_counts does not cut pool_int64s into n-grams");
      }
    }
  }

  // The counts, rows x columns of the result, as float32.
  ExprPtr Counts() {
    const int64_t shortest = std::max<int64_t>(1, view_.Int("min_gram_length", 1));
    const int64_t longest = view_.Int("max_gram_length", 1);
    if (longest > kLongestGram) RefuseNode(fmt::format("max_gram_length is {}; {} is the most", longest, kLongestGram));
    std::vector<ExprPtr> parts;
    int64_t first = 0;  // the number of the first n-gram of this length
    for (int64_t length = 1; length <= static_cast<int64_t>(begins_.size()); ++length) {
      const int64_t begin = Nth(begins_, length - 1);
      const int64_t grams = (EndOf(static_cast<size_t>(length) - 1) - begin) / length;
      if (grams > 0 && length >= shortest && length <= longest) {
        if (ExprPtr counts = CountsOf(begin, grams, length)) {
          for (int64_t i = 0; i < grams; ++i) PlaceGram(first + i);
          parts.push_back(std::move(counts));
        }
      }
      first += grams;
    }
    return Arranged(std::move(parts));
  }

  int64_t width() const { return width_; }

 private:
  int64_t Size() const { return static_cast<int64_t>(pool_.size()); }
  int64_t EndOf(size_t i) const { return i + 1 < begins_.size() ? begins_[i + 1] : Size(); }

  // Takes the next place among the counts for an n-gram.
  void PlaceGram(int64_t gram) {
    if (gram >= static_cast<int64_t>(columns_.size())) RefuseNode("ngram_indexes is shorter than the pool");
    if (!places_.emplace(Nth(columns_, gram), static_cast<int64_t>(places_.size())).second) {
      RefuseNode(fmt::format("ngram_indexes holds {} twice", Nth(columns_, gram)));
    }
  }

  // The counts of the n-grams of one length with each number of skipped elements, rows x grams; null if rows are too
  // short.
  ExprPtr CountsOf(int64_t begin, int64_t grams, int64_t length) const {
    const Shape shape = view_.builder().ShapeOf(rows_);
    const int64_t most_skips = length == 1 ? 0 : view_.Int("max_skip_count", 0);
    ExprPtr counts;
    for (int64_t step = 1; step <= most_skips + 1; ++step) {
      const int64_t positions = shape[1] - (length - 1) * step;
      if (positions < 1) break;
      ExprPtr found;
      for (int64_t i = 0; i < length; ++i) {
        const ExprPtr here =
            view_.Reshape(view_.Slice(rows_, 1, i * step, i * step + positions), {shape[0], 1, positions});
        const ExprPtr same = view_.Call("equal", {here, Members(begin, grams, length, i)});
        found = found == nullptr ? same : view_.Call("logical_and", {found, same});
      }
      const ExprPtr number = view_.Call("sum", {AsDType(view_, found, DType::kFloat32)}, {{"axis", Ints{2}}});
      counts = counts == nullptr ? number : view_.Call("add", {counts, number});
    }
    return counts;
  }

  // Element `i` of each n-gram of a length: 1 x grams x 1.
  ExprPtr Members(int64_t begin, int64_t grams, int64_t length, int64_t i) const {
    Ints members;
    for (int64_t gram = 0; gram < grams; ++gram) members.push_back(Nth(pool_, begin + gram * length + i));
    return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {1, grams, 1}, members));
  }

  // The counts in the order of the result's columns. Columns of no n-gram are 0.
  ExprPtr Arranged(std::vector<ExprPtr> parts) const {
    const Shape shape = view_.builder().ShapeOf(rows_);
    view_.builder().Spend((shape[0] + width_) * 8);
    parts.push_back(relay::MakeConstant(Tensor(DType::kFloat32, {shape[0], 1})));
    const ExprPtr all =
        parts.size() == 1 ? parts[0] : view_.builder().CallOnTuple("concatenate", parts, {{"axis", int64_t{1}}});
    Ints from;
    for (int64_t column = 0; column < width_; ++column) {
      const auto place = places_.find(column);
      from.push_back(place == places_.end() ? static_cast<int64_t>(places_.size()) : place->second);
    }
    const ExprPtr order = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {width_}, from));
    return view_.Call("take", {all, order}, {{"axis", int64_t{1}}});
  }

  const OnnxNodeView& view_;
  Ints pool_, begins_, columns_;
  ExprPtr rows_;
  int64_t width_ = 0;
  std::map<int64_t, int64_t> places_;  // of counts, by column of the result
};

std::vector<ExprPtr> TfIdfVectorizer(const OnnxNodeView& view) {
  NgramCounts ngrams(view);
  ExprPtr result = ngrams.Counts();
  const std::string mode = view.String("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    RefuseNode(fmt::format("mode is \"{}\"; TF, IDF and TFIDF are known", mode));
  }
  if (mode == "IDF") result = WithScalar(view, "minimum", result, 1);
  if (const OnnxAttribute* given = view.Find("weights"); given != nullptr && mode != "TF") {
    // The weights are those of the n-grams in the pool, as the columns are.
    const Ints columns = view.Ints("ngram_indexes", {});
    if (given->floats.size() != columns.size()) {
      RefuseNode(fmt::format("{} weights for {} n-grams", given->floats.size(), columns.size()));
    }
    Tensor weights(DType::kFloat32, {ngrams.width()});
    for (size_t i = 0; i < columns.size(); ++i) weights.Set(columns[i], given->floats[i]);
    result = view.Call("multiply", {result, relay::MakeConstant(std::move(weights))});
  }
  return {view.InputRank(0) == 2 ? result : view.Reshape(result, {ngrams.width()})};
}

}  // namespace

OnnxOperatorTable NgramOperators() {
  return {{"TfIdfVectorizer",
           1,
           1,
           TfIdfVectorizer,
           {"max_gram_length", "max_skip_count", "min_gram_length", "mode", "ngram_counts", "ngram_indexes",
            "pool_int64s", "pool_strings", "weights"},
           {.becomes = "add cast concatenate equal logical_and minimum multiply reshape strided_slice sum take"}}};
}

}  // namespace hone
