// The standard streams, which may be closed when a program starts.
#pragma once

#include <string_view>

namespace hone {

// Call it before anything else in main. Opens closed streams to /dev/null, so that no other file becomes stdout or
// stderr. Reading stdin and writing stdout then fail, and stderr is lost.
void PrepareStandardStreams();

// Writes the bytes unchanged. Throws Error(kIo) if stdout does not take them.
void WriteToStdout(std::string_view text);
// Throws Error(kIo) if some output could not be written.
void FlushStdout();
// Writes unbuffered. Failures are ignored, since there is nowhere to report them.
void WriteToStderr(std::string_view text);

}  // namespace hone
