#include "runtime/generate/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kFirstSorted = 64;

void RequireOption(bool fits, const char* name, double value, const char* right) {
  if (!fits) throw Error(ExitCode::kUsage, fmt::format("{} is {}; it is {}", name, value, right));
}

// More likely tokens first, and the lower of equally likely ones.
bool MoreLikely(const std::pair<float, int64_t>& a, const std::pair<float, int64_t>& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {
  const double penalty = options.repetition_penalty, temperature = options.temperature, top_p = options.top_p;
  RequireOption(penalty > 0 && std::isfinite(penalty), "the repetition penalty", penalty, "above 0");
  RequireOption(temperature >= 0 && std::isfinite(temperature), "the temperature", temperature, "0 or more");
  RequireOption(options.top_k >= 0, "top_k", static_cast<double>(options.top_k), "0 or more");
  RequireOption(top_p > 0 && top_p <= 1, "top_p", top_p, "above 0 and at most 1");
}

void Sampler::See(int64_t id) {
  if (id < 0) return;
  const auto index = static_cast<size_t>(id);
  if (index >= seen_.size()) seen_.resize(index + 1);
  seen_[index] = true;
}

template <typename Visit>
void Sampler::EachChoice(std::span<const float> logits, const Visit& visit) const {
  const auto penalty = static_cast<float>(options_.repetition_penalty);
  for (size_t id = 0; id < logits.size(); ++id) {
    float logit = logits[id];
    if (penalty != 1 && id < seen_.size() && seen_[id]) logit = logit > 0 ? logit / penalty : logit * penalty;
    if (logit > -std::numeric_limits<float>::infinity()) visit({logit, static_cast<int64_t>(id)});
  }
}

Sampler::Choice Sampler::Likeliest(std::span<const float> logits) const {
  Choice best{-std::numeric_limits<float>::infinity(), -1};
  EachChoice(logits, [&](const Choice& choice) {
    if (choice.first > best.first) best = choice;
  });
  if (best.second < 0) throw Error(ExitCode::kBadData, "the model's logits are all minus infinity or not numbers");
  return best;
}

double Sampler::WeightOf(const Choice& choice) const {
  // Equal infinities are equally likely, and their difference is not a number.
  return choice.first == top_ ? 1 : std::exp((double{choice.first} - top_) / options_.temperature);
}

double Sampler::WeightOfAll() const {
  return std::accumulate(choices_.begin(), choices_.end(), 0.0,
                         [this](double sum, const Choice& choice) { return sum + WeightOf(choice); });
}

void Sampler::SortFirst(size_t count) {
  std::partial_sort(choices_.begin(), choices_.begin() + static_cast<int64_t>(count), choices_.end(), MoreLikely);
}

void Sampler::KeepTopK() {
  const auto most = static_cast<size_t>(options_.top_k);
  if (most == 0 || most >= choices_.size()) return;
  SortFirst(most);
  choices_.resize(most);
}

// Mostly a few tokens reach the probability, so that few are sorted.
void Sampler::KeepTopP() {
  if (options_.top_p == 1) return;
  const double wanted = options_.top_p * WeightOfAll();
  for (size_t sorted = kFirstSorted;; sorted *= kFirstSorted) {
    sorted = std::min(sorted, choices_.size());
    SortFirst(sorted);
    double reached = 0;
    size_t kept = 0;
    while (kept < sorted && reached < wanted) reached += WeightOf(choices_[kept++]);
    if (reached < wanted && sorted < choices_.size()) continue;
    return choices_.resize(kept);
  }
}

int64_t Sampler::Draw() {
  double left = random_.Uniform() * WeightOfAll();
  for (const Choice& choice : choices_) {
    left -= WeightOf(choice);
    if (left < 0) return choice.second;
  }
  return choices_.front().second;  // rounding left a rest
}

int64_t Sampler::Next(std::span<const float> logits) {
  const Choice best = Likeliest(logits);
  if (options_.temperature == 0) return best.second;
  top_ = best.first;
  choices_.clear();
  EachChoice(logits, [this](const Choice& choice) { choices_.push_back(choice); });
  KeepTopK();
  KeepTopP();
  return Draw();
}

}  // namespace hone
