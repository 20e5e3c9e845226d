// Texts as a PostgreSQL server takes them.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// The text itself where it is UTF-8 without zeros, which is all that a server takes; else what Printable makes of it.
std::string ServerText(std::string_view text);

}  // namespace hone
