#include "cli/printing/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "core/printable.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

constexpr size_t kUsualColumns = 80;

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

}  // namespace

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr) {}

void StatusLine::Show(const std::string& text) {
  if (!terminal_) return;
  WriteToStderr("\r\033[K" + CutTo(Printable(text), TerminalColumns() - 1));
  shown_ = true;
}

void StatusLine::Clear() {
  if (shown_) WriteToStderr("\r\033[K");
  shown_ = false;
}

void StatusLine::Keep() {
  if (shown_) WriteToStderr("\n");
  shown_ = false;
}

size_t TerminalColumns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsualColumns;
}

std::string CutTo(const std::string& text, size_t columns) {
  size_t characters = 0, last = 0;  // where the last character that fits begins
  for (size_t at = 0; at < text.size(); ++at) {
    if (!BeginsCharacter(text[at])) continue;
    if (++characters > columns) return columns == 0 ? "" : text.substr(0, last) + "~";
    last = at;
  }
  return text;
}

}  // namespace hone
