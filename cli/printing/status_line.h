// The one line of progress that a terminal gets.
#pragma once

#include <cstddef>
#include <string>

namespace hone {

// The text on stderr, each one over the last. It is cut to the terminal's width as it is at that moment. When the
// window was made narrower meanwhile, all rows that its terminal made of the line are taken away. Where the
// terminal takes no escapes (TakesEscapes) nothing is written. Texts from outside do no harm. One thread.
class StatusLine {
 public:
  StatusLine();
  explicit StatusLine(bool terminal) : terminal_(terminal) {}
  ~StatusLine() { Clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool terminal() const { return terminal_; }
  void Show(const std::string& text);
  // Takes the text away.
  void Clear();
  // Leaves the text where it is; what comes next stands below.
  void Keep();

 private:
  std::string Erasing() const;

  bool terminal_;
  bool shown_ = false;
  size_t characters_ = 0;  // of what is shown
};

// Whether escape sequences may be written to the descriptor: a terminal that obeys them (TERM is not "dumb") behind it,
// and NO_COLOR not set.
bool TakesEscapes(int fd);
// What takes a line of so many characters away from a terminal that has wrapped it at `columns`, with the cursor behind
// it; the cursor then stands where the line began.
std::string ErasingText(size_t characters, size_t columns);
// Columns of the terminal behind stderr; 80 where it does not tell.
size_t TerminalColumns();
// Columns of the terminal behind stdout; 0 where there is none or it does not tell.
size_t OutputColumns();
// The first `columns` characters of UTF-8 text, the last of them "~" when there are more.
std::string CutTo(const std::string& text, size_t columns);

}  // namespace hone
