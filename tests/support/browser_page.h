// One page of a headless Chromium, spoken to over its debugging pipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/serialize.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// Messages are JSON ended by a zero byte: chromedevtools.github.io/devtools-protocol. What does not come within 30 s is
// a failure of the test. One thread.
class BrowserPage {
 public:
  // Whether there is a Chromium (Debian's package chromium).
  static bool IsInstalled();

  // `profile`: a folder of its own for what Chromium keeps; made where it is not there.
  explicit BrowserPage(const std::string& profile);
  ~BrowserPage();
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

  // Begins to load it; its complaints and requests are noted from here on.
  void Open(const std::string& url);
  // What the expression is worth, as text.
  std::string Text(const std::string& expression);
  // Whether it comes to hold.
  bool Await(const std::string& condition);

  // Media "screen" or "print", scheme "light" or "dark".
  void Show(const std::string& media, const std::string& scheme);
  // The window's size in CSS pixels.
  void Resize(int width, int height);
  // A key that is pressed and let go, by its name and number: "Tab", 9.
  void Press(const std::string& key, int code);

  // What the page complained of, and the addresses that it asked.
  std::vector<std::string> complaints, requests;

 private:
  Json Ask(const std::string& method, const Json& parameters);
  Json Next(int64_t until_ns);
  void Note(const Json& message);

  SpawnedProgram chromium_;
  std::string session_, bytes_;
  int asked_ = 0;
};

}  // namespace hone
