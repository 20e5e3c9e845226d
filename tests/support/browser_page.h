// A page of a headless Chromium, driven over its debugging pipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// Messages are JSON ended by a zero byte: chromedevtools.github.io/devtools-protocol. The test fails if an answer takes
// more than 30 s. For one thread.
class BrowserPage {
 public:
  // Why a test cannot run: Chromium (Debian's package chromium) is not installed. Empty if it is. A failure where
  // HONE_REQUIRE_BROWSER is set, as scripts/test.sh does.
  static std::string WhyNot();

  // An empty page in a Chromium that all tests of the program share, because its start takes a second. It replaces the
  // page that was returned before.
  static BrowserPage& Fresh();
  ~BrowserPage();
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

  // Begins to load the page; its complaints and requests are recorded from here on.
  void Open(const std::string& url);
  // The value of the expression as text.
  std::string Text(const std::string& expression);
  // Runs a script in the page.
  void Run(const std::string& script);
  // Waits for the condition; returns whether it came to hold.
  bool Await(const std::string& condition);

  // Media "screen" or "print", scheme "light" or "dark".
  void Show(const std::string& media, const std::string& scheme);
  // The window's size in CSS pixels.
  void Resize(int width, int height);
  // A PNG of the page's first `height` CSS pixels, as wide as the window, in this scale.
  std::string Screenshot(int width, int height, double scale);
  // The number of sheets that the page takes on paper.
  int Sheets();
  // Presses and releases a key, given its name and number: "Tab", 9.
  void Press(const std::string& key, int code);

  // The page's complaints, and the addresses that it requested.
  std::vector<std::string> complaints, requests;

 private:
  explicit BrowserPage(const std::string& profile);
  void OpenTab();
  Json Ask(const std::string& method, const Json& parameters);
  Json Next(int64_t until_ns);
  void Note(const Json& message);

  const std::string profile_;  // the folder of Chromium's own files
  SpawnedProgram chromium_;
  std::string session_, tab_, bytes_;
  int asked_ = 0;
};

}  // namespace hone
