// The line of progress on a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace hone {

// A line on stderr that each text overwrites. It is cut to the terminal's present width. If the window became narrower
// since, all rows into which the terminal rewrapped the line are erased. Nothing is written to a terminal without
// escapes (TakesEscapes). Texts are made printable, so those from outside are safe. Not thread-safe.
class StatusLine {
 public:
  StatusLine();
  explicit StatusLine(bool terminal) : terminal_(terminal) {}
  ~StatusLine() { Clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool terminal() const { return terminal_; }
  void Show(const std::string& text);
  // Erases the text.
  void Clear();
  // Leaves the text in place; later output goes below it.
  void Keep();

 private:
  std::string Erasing() const;

  bool terminal_;
  bool shown_ = false;
  size_t characters_ = 0;  // in the shown text
};

// Whether escape sequences may be written to the descriptor: it is a terminal, TERM is not "dumb", and NO_COLOR is not
// set.
bool TakesEscapes(int fd);
// The text that erases a line of this many characters from a terminal that has wrapped it at `columns`. The cursor must
// be behind the line, and is then at its beginning.
std::string ErasingText(size_t characters, size_t columns);
// Columns of the terminal behind stderr; 80 if unknown.
size_t TerminalColumns();
// Columns of the terminal behind stdout; 0 if there is none or they are unknown.
size_t OutputColumns();
// The first `columns` characters of UTF-8 text, with "~" as the last one if there are more.
std::string CutTo(const std::string& text, size_t columns);

}  // namespace hone
