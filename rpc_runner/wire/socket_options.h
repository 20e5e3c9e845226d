// Options of the library's sockets, including the limits of docs/reference/protocol.md.
#pragma once

#include <string>

namespace hone {

// `socket` is the library's own. Unknown options are ignored.
void SetOption(void* socket, int option, int value);
// Throws Error(kBadConfig) if the text is not accepted as a key.
void SetText(void* socket, int option, const std::string& text);
// Returns 0 if there is no such option.
int OptionOf(void* socket, int option);
// Sets queue lengths, times and sizes, equal for all sockets.
void SetLimits(void* socket);
// Throws Error(kBadConfig) if the loaded library has no CURVE, or one with known flaws.
void RequireSafeLibrary();

}  // namespace hone
