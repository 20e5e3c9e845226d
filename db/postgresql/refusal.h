// What a server's refusal means for a hone command.
#pragma once

#include <string>

namespace hone {

// Throws the Error for an SQLSTATE (PostgreSQL manual, appendix A; "" where the connection was lost) and the server's
// words, of which the first line is told. `store` is how users name it.
[[noreturn]] void ThrowRefusal(const std::string& store, const std::string& state, const std::string& words);

}  // namespace hone
