// Parts of pages that tests look at.
#pragma once

#include <string>

#include "core/json/serialize.h"

namespace hone {

// A name that a page must escape.
inline constexpr const char* kEvil = "<script>alert('1')</script> \"&\033[31m";

// Every opened tag is closed, in order; attributes are quoted.
bool IsWellFormed(const std::string& html);
// The description that the page's script draws, without the escapes of HTML. An empty object if there is none.
Json DrawnBy(const std::string& html);

}  // namespace hone
