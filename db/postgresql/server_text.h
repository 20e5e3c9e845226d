// Converts texts to the form that a PostgreSQL server accepts.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// The text itself if it is UTF-8 without zeros, the only form that a server accepts; else the result of Printable.
std::string ServerText(std::string_view text);

}  // namespace hone
