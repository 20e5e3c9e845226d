// What writes itself piece by piece, as a stream.
#pragma once

#include <array>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace hone {

// Takes bytes in their order. Throws Error when they have no place.
using ByteSink = std::function<void(std::string_view bytes)>;

// Writes something whole to a stream, which throws what the sink behind it throws.
using StreamWriter = std::function<void(std::ostream& out)>;

// A stream's buffer before a sink: of what is written no more than a piece is held.
class PipedOutput : public std::streambuf {
 public:
  explicit PipedOutput(const ByteSink& sink);

 private:
  int_type overflow(int_type next) override;
  int sync() override;

  const ByteSink& sink_;
  std::array<char, size_t{1} << 16> piece_;
};

// Has `write` write all into `sink`. Throws what either throws.
void WriteThrough(const ByteSink& sink, const StreamWriter& write);

}  // namespace hone
