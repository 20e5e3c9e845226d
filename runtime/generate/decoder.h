// A language model's session: token ids in, the logits of the next token out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "runtime/session.h"

namespace hone {

// Knows inputs by the names that exporters give them (docs/howto/decoders.md). Batches of one text alone. A session
// without states computes the whole text for each token. Used by one thread at a time.
class Decoder {
 public:
  // The session must outlive the decoder. A text continues at the positions that the session's states hold. Throws
  // Error(kUsage), naming the input or output, for a package that is no decoder or has an input whose meaning is not
  // known.
  explicit Decoder(Session& session);

  // Appends the tokens and returns the logits behind the last of them, one for each token of the vocabulary. They are
  // valid until the next call. `ids` has at least one token. Throws Error(kBadData), before anything is computed, if
  // the text becomes longer than capacity() or an id is outside the vocabulary.
  std::span<const float> Feed(std::span<const int64_t> ids);
  // Begins an empty text.
  void Reset();
  // Number of tokens of the text.
  int64_t length() const;
  // The largest length that the package takes.
  int64_t capacity() const { return capacity_; }
  // The largest number of tokens that one run computes; a longer text runs in parts.
  int64_t at_once() const { return step_; }
  int64_t vocabulary() const { return vocabulary_; }
  // Whether a session keeps what it computed of earlier tokens.
  bool keeps_state() const { return session_.states() > 0; }

 private:
  enum class Role : uint8_t { kMask, kPositions, kZeros, kUsesCache };
  struct Other {
    int input = 0;
    Role role = Role::kMask;
  };
  void FindInputs();
  void FindLogits();
  void FindLimits();
  void RequireIds(std::span<const int64_t> ids) const;
  void SetIntegers(int input, Shape shape, const std::vector<int64_t>& values);
  void SetOther(const Other& other, int64_t count);
  void Run(std::span<const int64_t> ids);
  void ReadLogits();

  Session& session_;
  int ids_ = -1, logits_ = -1;
  std::vector<Other> others_;
  int64_t step_ = 0, capacity_ = 0, vocabulary_ = 0;  // step_: tokens that one run takes
  std::vector<int64_t> text_;                         // fed by this decoder
  Tensor last_;                                       // logits, in float32
};

}  // namespace hone
