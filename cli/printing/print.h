// What a command says to people. Names and messages may come from outside: nothing in them reaches the terminal as a
// control character.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "core/printable.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {

// To stdout: results. Throws Error(kIo) when it does not take them.
template <typename... T>
void Print(fmt::format_string<T...> format, T&&... arguments) {
  WriteToStdout(PrintableLines(fmt::format(format, std::forward<T>(arguments)...)));
}

// To stderr: notes. Never fails.
template <typename... T>
void Note(fmt::format_string<T...> format, T&&... arguments) {
  WriteToStderr(PrintableLines(fmt::format(format, std::forward<T>(arguments)...)));
}

}  // namespace hone
