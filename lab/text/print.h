// Prints a command's results, verdicts and notes. Names and messages may come from outside, so control characters in
// them never reach the terminal.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
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

// Colours the words "slower" and "DIFFERS" red and "faster" green, by terminal escapes. Other uses of the words stay
// plain: a count ("2 faster, ...") and a percentage ("0.1 % slower", which may be noise).
std::string WithColours(std::string_view text);

// Prints like Print, with colours if stdout is a terminal and NO_COLOR is not set.
void PrintVerdicts(std::string_view text);

}  // namespace hone
