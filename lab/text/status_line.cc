#include "lab/text/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text/printable.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

constexpr size_t kUsualColumns = 80;

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Whether this terminal rewraps its lines when it becomes narrower. xterm and the console cut them, and there the row
// above is another line.
bool Rewraps() {
  const char* terminal = std::getenv("TERM");
  return std::getenv("XTERM_VERSION") == nullptr && (terminal == nullptr || std::string_view(terminal) != "linux");
}

// Columns of the terminal behind a descriptor; 0 if unknown.
size_t ColumnsOf(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 0;
}

}  // namespace

bool TakesEscapes(int fd) {
  const char *colours = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(fd) != 0 && !is_dumb && (colours == nullptr || *colours == '\0');
}

StatusLine::StatusLine() : terminal_(TakesEscapes(STDERR_FILENO)) {}

std::string StatusLine::Erasing() const {
  return ErasingText(shown_ && Rewraps() ? characters_ : 0, TerminalColumns());
}

void StatusLine::Show(const std::string& text) {
  if (!terminal_) return;
  const std::string line = CutTo(Printable(text), TerminalColumns() - 1);
  WriteToStderr(Erasing() + line);
  shown_ = true;
  characters_ = static_cast<size_t>(std::count_if(line.begin(), line.end(), BeginsCharacter));
}

void StatusLine::Clear() {
  if (shown_) WriteToStderr(Erasing());
  shown_ = false;
}

void StatusLine::Keep() {
  if (shown_) WriteToStderr("\n");
  shown_ = false;
}

std::string ErasingText(size_t characters, size_t columns) {
  const size_t above = characters > columns ? (characters - 1) / columns : 0;
  return above > 0 ? fmt::format("\r\033[{}A\033[J", above) : "\r\033[K";
}

size_t TerminalColumns() {
  const size_t columns = ColumnsOf(STDERR_FILENO);
  return columns > 0 ? columns : kUsualColumns;
}

size_t OutputColumns() { return isatty(STDOUT_FILENO) != 0 ? ColumnsOf(STDOUT_FILENO) : 0; }

std::string CutTo(const std::string& text, size_t columns) {
  size_t characters = 0, last = 0;  // `last`: start of the last character that fits
  for (size_t at = 0; at < text.size(); ++at) {
    if (!BeginsCharacter(text[at])) continue;
    if (++characters > columns) return columns == 0 ? "" : text.substr(0, last) + "~";
    last = at;
  }
  return text;
}

}  // namespace hone
