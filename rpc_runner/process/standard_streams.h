// stdin, stdout and stderr, whatever state a program finds them in.
#pragma once

#include <string_view>

namespace hone {

// Before anything else in main. Streams that are closed are opened to nothing, so that no file of ours comes to be
// stdout or stderr: then reading stdin and writing stdout fail, and what goes to stderr is lost.
void PrepareStandardStreams();

// The bytes as they are. Throws Error(kIo) when stdout does not take them.
void WriteToStdout(std::string_view text);
// Throws Error(kIo) when something that was written has not arrived.
void FlushStdout();
// At once. A stderr that takes nothing is no reason to stop: nobody would read why.
void WriteToStderr(std::string_view text);

}  // namespace hone
