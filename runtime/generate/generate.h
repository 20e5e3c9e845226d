// Text from a language model: one token after the other, each drawn from the logits behind the ones before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/generate/decoder.h"
#include "runtime/generate/sampler.h"

namespace hone {

struct GenerateOptions {
  int64_t new_tokens = 64;             // at most; at least 1
  std::vector<int64_t> stop_ids = {};  // each ends the text and is its last token
  SamplingOptions sampling = {};
  std::function<bool(int64_t id)> on_token = {};  // called for each new token; returns whether to go on; empty: go on
};

enum class GenerationEnd : uint8_t { kNewTokens = 0, kStopId = 1, kCaller = 2, kCapacity = 3 };
// "as many tokens as asked for", "a stop id", "the caller", "the package is full".
std::string_view EndText(GenerationEnd end);

struct Generation {
  std::vector<int64_t> ids;  // the new ones
  GenerationEnd end = GenerationEnd::kNewTokens;
  int64_t first_ns = 0;  // until the first new token
  int64_t rest_ns = 0;   // for all others
};

// Continues the decoder's text by `prompt` and new tokens. The last new token is not fed: it begins the next prompt.
// Throws Error as Decoder::Feed and Sampler do.
Generation Generate(Decoder& decoder, std::span<const int64_t> prompt, const GenerateOptions& options);

}  // namespace hone
