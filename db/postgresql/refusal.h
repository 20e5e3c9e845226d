// Translates a server's refusal to an error of a hone command.
#pragma once

#include <string>

namespace hone {

// Throws the Error for an SQLSTATE (PostgreSQL manual, appendix A; "" if the connection was lost) with the first line
// of the server's words. `store` is the name that users give it.
[[noreturn]] void ThrowRefusal(const std::string& store, const std::string& state, const std::string& words);

}  // namespace hone
