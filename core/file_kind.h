// What a file is that was given by mistake.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Of a kind that hone never reads, what the file is and what would be right, as "is compressed by gzip; `gunzip`
// unpacks it". Empty for every other. `begin`: the file's first bytes, 512 of them where it has so many.
std::string KindThatIsNeverRead(std::string_view begin);

}  // namespace hone
