// Output that is written piece by piece through a stream.
#pragma once

#include <array>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace hone {

// Takes bytes in order. Throws Error if they cannot be stored.
using ByteSink = std::function<void(std::string_view bytes)>;

// Writes all its output to a stream, which throws what the sink behind it throws.
using StreamWriter = std::function<void(std::ostream& out)>;

// A stream buffer in front of a sink. It holds at most one piece.
class PipedOutput : public std::streambuf {
 public:
  explicit PipedOutput(const ByteSink& sink);

 private:
  int_type overflow(int_type next) override;
  int sync() override;

  const ByteSink& sink_;
  std::array<char, size_t{1} << 16> piece_;
};

// Lets `write` write everything into `sink`. Throws what either throws.
void WriteThrough(const ByteSink& sink, const StreamWriter& write);

}  // namespace hone
