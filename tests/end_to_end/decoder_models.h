// Small decoders with a cache of keys and values, as exporters write them, for tests of states.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone {

enum class DecoderStyle : uint8_t { kConcat, kAttention, kMultiHead, kGrouped, kScatter };
inline constexpr DecoderStyle kDecoderStyles[] = {DecoderStyle::kConcat, DecoderStyle::kAttention,
                                                  DecoderStyle::kMultiHead, DecoderStyle::kGrouped,
                                                  DecoderStyle::kScatter};

struct DecoderShape {
  DecoderStyle style = DecoderStyle::kConcat;
  int64_t layers = 2, heads = 4, groups = 2, size = 8, capacity = 24;
  uint64_t seed = 0;
  int64_t width() const { return heads * size; }
};
// Each style with random extents.
DecoderShape RandomDecoder(uint64_t seed);

// Inputs: x (1, seq, width); past_key_values.N.key and .value (1, groups, past, size); positions (1, seq); of kGrouped
// also seqlens (1) and total (1 element); of kScatter first (1) and keys (1), and its caches have `capacity` positions.
// Outputs: y, of x's shape; present.N.key and .value.
std::string DecoderModel(const DecoderShape& shape);

// The inputs that are no states, for `count` tokens of x from position `first` on, all of which a seed decides.
std::vector<std::pair<std::string, Tensor>> DecoderInputs(const DecoderShape& shape, int64_t first, int64_t count,
                                                          const std::vector<uint64_t>& tokens);

// A decoder with an embedding in front of it and logits behind: input_ids (1, seq) in place of x, and logits
// (1, seq, vocabulary) in place of y.
std::string LanguageModel(int64_t vocabulary);

}  // namespace hone
