#include "compiler/relay/param_seed.h"

#include <fmt/format.h>

#include "core/hash/hash.h"

namespace hone::relay {

uint64_t ParamSeed(const std::string& name, uint64_t seed) {
  return std::stoull(Sha256Hex(fmt::format("{} {}", seed, name)).substr(0, 16), nullptr, 16);
}

}  // namespace hone::relay
