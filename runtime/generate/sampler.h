// The choice of the next token from a language model's logits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"

namespace hone {

// Applied in this order: the penalty, the temperature, top_k, top_p.
struct SamplingOptions {
  double repetition_penalty = 1;  // of tokens that occurred (Keskar et al., "CTRL", 2019, section 4.1)
  double temperature = 0;         // divides the logits; 0: the most likely token is taken
  int64_t top_k = 0;              // only so many of the most likely tokens; 0: all
  double top_p = 1;               // only the most likely tokens that are this likely together (Holtzman et al., 2020)
  uint64_t seed = 0;
};

// Used by one thread at a time.
class Sampler {
 public:
  // Throws Error(kUsage), naming the option, for a number out of its range.
  explicit Sampler(const SamplingOptions& options);

  // The token has occurred: later choices apply the penalty to it. Ids below 0 are ignored.
  void See(int64_t id);
  // An index of `logits`. Of equally likely tokens the lowest is taken. NaN is never chosen. Throws Error(kBadData) if
  // no logit is a number above minus infinity.
  int64_t Next(std::span<const float> logits);

 private:
  using Choice = std::pair<float, int64_t>;  // logit and token
  // Calls visit(choice) for each token whose logit is a number above minus infinity, with the penalty applied.
  template <typename Visit>
  void EachChoice(std::span<const float> logits, const Visit& visit) const;
  Choice Likeliest(std::span<const float> logits) const;
  double WeightOf(const Choice& choice) const;
  double WeightOfAll() const;
  void SortFirst(size_t count);
  void KeepTopK();
  void KeepTopP();
  int64_t Draw();

  const SamplingOptions options_;
  Random random_;
  std::vector<bool> seen_;  // by token
  std::vector<Choice> choices_;
  float top_ = 0;  // the largest logit among the choices
};

}  // namespace hone
