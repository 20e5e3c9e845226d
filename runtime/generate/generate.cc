#include "runtime/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"

namespace hone {
namespace {

int64_t SteadyNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Why the text ends behind its last token; kNewTokens if it goes on.
GenerationEnd EndBehind(int64_t id, const Decoder& decoder, const GenerateOptions& options) {
  const bool stops = std::find(options.stop_ids.begin(), options.stop_ids.end(), id) != options.stop_ids.end();
  if (options.on_token && !options.on_token(id)) return GenerationEnd::kCaller;
  if (stops) return GenerationEnd::kStopId;
  return decoder.length() == decoder.capacity() ? GenerationEnd::kCapacity : GenerationEnd::kNewTokens;
}

}  // namespace

std::string_view EndText(GenerationEnd end) {
  switch (end) {
    case GenerationEnd::kNewTokens:
      return "as many tokens as asked for";
    case GenerationEnd::kStopId:
      return "a stop id";
    case GenerationEnd::kCaller:
      return "the caller";
    case GenerationEnd::kCapacity:
      break;
  }
  return "the package is full";
}

Generation Generate(Decoder& decoder, std::span<const int64_t> prompt, const GenerateOptions& options) {
  if (options.new_tokens < 1) {
    throw Error(ExitCode::kUsage, fmt::format("{} new tokens were asked for; 1 is the least", options.new_tokens));
  }
  Sampler sampler(options.sampling);
  for (const int64_t id : prompt) sampler.See(id);
  Generation made;
  const int64_t begin_ns = SteadyNs();
  int64_t id = sampler.Next(decoder.Feed(prompt));
  made.first_ns = SteadyNs() - begin_ns;
  while (true) {
    sampler.See(id);
    made.ids.push_back(id);
    made.end = EndBehind(id, decoder, options);
    if (made.end != GenerationEnd::kNewTokens || static_cast<int64_t>(made.ids.size()) == options.new_tokens) break;
    id = sampler.Next(decoder.Feed({&id, 1}));
  }
  made.rest_ns = SteadyNs() - begin_ns - made.first_ns;
  return made;
}

}  // namespace hone
