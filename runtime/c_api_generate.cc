#include <algorithm>

#include "core/error.h"
#include "runtime/c_api_guard.h"
#include "runtime/generate/generate.h"

namespace hone {
namespace {

GenerateOptions OptionsOf(const hone_generate_options& given) {
  RequireKnown(&given, given.struct_bytes, sizeof(given), sizeof(given), "hone_generate_options");
  GenerateOptions options;
  options.stop_ids.assign(given.stop_ids, given.stop_ids + given.stop_count);
  options.sampling.temperature = given.temperature;
  options.sampling.top_k = given.top_k;
  if (given.top_p != 0) options.sampling.top_p = given.top_p;
  if (given.repetition_penalty != 0) options.sampling.repetition_penalty = given.repetition_penalty;
  options.sampling.seed = given.seed;
  if (given.on_token != nullptr) {
    options.on_token = [call = given.on_token, user = given.user](int64_t id) { return call(user, id) != 0; };
  }
  return options;
}

static_assert(HONE_END_NEW_TOKENS == static_cast<int>(GenerationEnd::kNewTokens));
static_assert(HONE_END_STOP_ID == static_cast<int>(GenerationEnd::kStopId));
static_assert(HONE_END_CALLER == static_cast<int>(GenerationEnd::kCaller));
static_assert(HONE_END_CAPACITY == static_cast<int>(GenerationEnd::kCapacity));

}  // namespace
}  // namespace hone

using hone::Guarded;
using hone::RequirePointer;

hone_status hone_session_generate(hone_session* session, const int64_t* prompt, int64_t count,
                                  const hone_generate_options* options, int64_t* ids, int64_t room,
                                  hone_generation* made) {
  return Guarded([&] {
    RequirePointer(session, "session");
    RequirePointer(prompt, "prompt");
    RequirePointer(ids, "ids");
    RequirePointer(made, "made");
    hone::GenerateOptions chosen;
    if (options != nullptr) chosen = hone::OptionsOf(*options);
    chosen.new_tokens = room;
    hone::Decoder decoder(*session->session);
    const hone::Generation generation =
        Generate(decoder, {prompt, static_cast<size_t>(std::max<int64_t>(0, count))}, chosen);
    std::copy(generation.ids.begin(), generation.ids.end(), ids);
    *made = {static_cast<int64_t>(generation.ids.size()), static_cast<hone_generation_end>(generation.end),
             generation.first_ns, generation.rest_ns};
  });
}
