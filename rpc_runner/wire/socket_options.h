// Options of the library's sockets, and the limits of docs/protocol.md among them.
#pragma once

#include <string>

namespace hone {

// `socket` is the library's own. What it does not know is passed over.
void SetOption(void* socket, int option, int value);
// Throws Error(kBadConfig) when it does not take the text as a key.
void SetText(void* socket, int option, const std::string& text);
// 0 where there is none.
int OptionOf(void* socket, int option);
// Queues, times and sizes, alike for all.
void SetLimits(void* socket);
// Throws Error(kBadConfig) when the library that is loaded has no CURVE, or one with known flaws.
void RequireSafeLibrary();

}  // namespace hone
