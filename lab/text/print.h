// Prints a command's results and notes. Names and messages may come from outside, so control characters in them never
// reach the terminal.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "core/json/serialize.h"
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

// Prints the single JSON document of --json to stdout, compact, with a newline.
void PrintJson(const Json& json);

// An error as JSON; one that is not finite becomes "inf", because JSON has no infinity.
Json FiniteOrInf(double error);

}  // namespace hone
