// A session's states as bytes: docs/reference/formats.md, Saved states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/package.h"
#include "runtime/states/session_states.h"

namespace hone {

inline constexpr uint32_t kSavedStateVersion = 1;

// The number of bytes that WriteStates gives now.
size_t SavedBytes(const Plan& plan, const SessionStates& states);
std::string WriteStates(const Package& package, const SessionStates& states, const std::vector<char*>& memory);
// Replaces all states. Throws Error(kBadData), and changes nothing, for damaged bytes, another version, states of
// another model, and more positions than there is room for.
void ReadStates(std::string_view bytes, const Package& package, SessionStates& states,
                const std::vector<char*>& memory);

}  // namespace hone
