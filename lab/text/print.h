// Prints a command's results and notes. Names and messages may come from outside, so control characters in them never
// reach the terminal.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "core/text/printable.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {

// Prints results to stdout. Throws Error(kIo) if it cannot be written.
template <typename... T>
void Print(fmt::format_string<T...> format, T&&... arguments) {
  WriteToStdout(PrintableLines(fmt::format(format, std::forward<T>(arguments)...)));
}

// Prints notes to stderr. Never fails.
template <typename... T>
void Note(fmt::format_string<T...> format, T&&... arguments) {
  WriteToStderr(PrintableLines(fmt::format(format, std::forward<T>(arguments)...)));
}

}  // namespace hone
