#include "tests/support/browser_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int64_t kPatienceNs = 30'000'000'000;

std::vector<std::string> ShellWords(const std::string& profile) {
  return {"-c",
          "exec chromium --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run "
          "--remote-debugging-pipe '--user-data-dir=" +
              profile + "' 4<&3 2>/dev/null"};
}

std::string FromBase64(const std::string& text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const size_t value = kLetters.find(letter);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace

std::string BrowserPage::WhyNot() {
  static const bool has_chromium = std::system("chromium --version >/dev/null 2>&1") == 0;
  if (has_chromium) return "";
  EXPECT_EQ(std::getenv("HONE_REQUIRE_BROWSER"), nullptr) << "chromium is required and not installed";
  return "chromium is not installed (Debian package chromium)";
}

BrowserPage& BrowserPage::Fresh() {
  static std::unique_ptr<BrowserPage> page;
  if (!page) {
    std::string profile = (std::filesystem::temp_directory_path() / "hone_browser_XXXXXX").string();
    EXPECT_NE(mkdtemp(profile.data()), nullptr);
    page.reset(new BrowserPage(profile));
  }
  page->OpenTab();
  return *page;
}

BrowserPage::BrowserPage(const std::string& profile) : profile_(profile), chromium_("/bin/sh", ShellWords(profile)) {}

void BrowserPage::OpenTab() {
  session_.clear();
  const std::string before = std::exchange(tab_, Ask("Target.createTarget", {{"url", "about:blank"}})["targetId"]);
  if (!before.empty()) Ask("Target.closeTarget", {{"targetId", before}});
  complaints.clear();
  requests.clear();
  session_ = Ask("Target.attachToTarget", {{"targetId", tab_}, {"flatten", true}})["sessionId"];
  for (const char* part : {"Runtime", "Log", "Network", "Page"}) Ask(fmt::format("{}.enable", part), Json::object());
}

BrowserPage::~BrowserPage() {
  kill(chromium_.pid(), SIGTERM);
  chromium_.End(kPatienceNs);
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

void BrowserPage::Open(const std::string& url) { Ask("Page.navigate", {{"url", url}}); }

std::string BrowserPage::Text(const std::string& expression) {
  const Json answer = Ask("Runtime.evaluate", {{"expression", "String(" + expression + ")"}});
  return answer.contains("result") ? answer["result"].value("value", std::string()) : std::string();
}

void BrowserPage::Run(const std::string& script) {
  const Json answer = Ask("Runtime.evaluate", {{"expression", script}});
  EXPECT_FALSE(answer.contains("exceptionDetails")) << answer["exceptionDetails"].dump().substr(0, 2000);
}

bool BrowserPage::Await(const std::string& condition) {
  for (const int64_t until_ns = MonotonicNs() + kPatienceNs; MonotonicNs() < until_ns;) {
    if (Text(condition) == "true") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

void BrowserPage::Show(const std::string& media, const std::string& scheme) {
  const Json features = Json::array({{{"name", "prefers-color-scheme"}, {"value", scheme}}});
  Ask("Emulation.setEmulatedMedia", {{"media", media}, {"features", features}});
}

void BrowserPage::Resize(int width, int height) {
  Ask("Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

std::string BrowserPage::Screenshot(int width, int height, double scale) {
  const Json clip = {{"x", 0}, {"y", 0}, {"width", width}, {"height", height}, {"scale", scale}};
  const Json answer = Ask("Page.captureScreenshot", {{"format", "png"}, {"clip", clip}});
  return FromBase64(answer.value("data", std::string()));
}

int BrowserPage::Sheets() {
  const Json answer = Ask("Page.printToPDF", {{"preferCSSPageSize", true}});
  const std::string pdf = FromBase64(answer.value("data", std::string()));
  constexpr std::string_view kSheet = "/Type /Page\n";
  int sheets = 0;
  for (size_t at = pdf.find(kSheet); at != pdf.npos; at = pdf.find(kSheet, at + 1)) ++sheets;
  return sheets;
}

void BrowserPage::Press(const std::string& key, int code) {
  Json event = {{"type", "rawKeyDown"}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", code}};
  Ask("Input.dispatchKeyEvent", event);
  // Enter activates the focused element by the character that it types.
  if (key == "Enter") Ask("Input.dispatchKeyEvent", {{"type", "char"}, {"text", "\r"}});
  event["type"] = "keyUp";
  Ask("Input.dispatchKeyEvent", event);
}

Json BrowserPage::Ask(const std::string& method, const Json& parameters) {
  Json question = {{"id", ++asked_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) question["sessionId"] = session_;
  const std::string bytes = DumpJson(question) + '\0';
  EXPECT_EQ(send(chromium_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  for (const int64_t until_ns = MonotonicNs() + kPatienceNs; MonotonicNs() < until_ns;) {
    const Json message = Next(until_ns);
    if (message.value("id", 0) == asked_) return message.value("result", Json::object());
    Note(message);
  }
  ADD_FAILURE() << "Chromium does not answer " << method;
  return Json::object();
}

Json BrowserPage::Next(int64_t until_ns) {
  for (size_t end = bytes_.find('\0'); end == std::string::npos; end = bytes_.find('\0')) {
    pollfd one{chromium_.fd(), POLLIN, 0};
    std::array<char, 65536> part{};
    if (poll(&one, 1, static_cast<int>((until_ns - MonotonicNs()) / 1'000'000)) <= 0) return Json::object();
    const ssize_t got = recv(chromium_.fd(), part.data(), part.size(), 0);
    if (got <= 0) return Json::object();
    bytes_.append(part.data(), static_cast<size_t>(got));
  }
  const std::string text = bytes_.substr(0, bytes_.find('\0'));
  bytes_.erase(0, text.size() + 1);
  return ParseJson(text, "a message of Chromium");
}

void BrowserPage::Note(const Json& message) {
  if (message.value("sessionId", "") != session_) return;
  const std::string method = message.value("method", "");
  if (method == "Network.requestWillBeSent") requests.push_back(message["params"]["request"]["url"]);
  if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown" || method == "Log.entryAdded") {
    complaints.push_back(message["params"].dump());
  }
}

}  // namespace hone
