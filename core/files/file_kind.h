// Recognises files that were given by mistake.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// For a kind of file that hone never reads: what the file is and what would be right, such as "is compressed by gzip;
// `gunzip` unpacks it". Empty for every other file. `begin` holds the file's first 512 bytes, or all if it is shorter.
std::string KindThatIsNeverRead(std::string_view begin);

}  // namespace hone
