// The dashboard in a headless Chromium, spoken to over its debugging pipe: it follows, nothing complains, no request
// goes elsewhere, and what a reader holds onto stays.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "core/serialize.h"
#include "db/record_store.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/spawned_program.h"
#include "tests/cli/run_program.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr int64_t kPatienceNs = 30'000'000'000;

// One page of a Chromium. Messages are JSON ended by a zero byte: chromedevtools.github.io/devtools-protocol.
class BrowserPage {
 public:
  explicit BrowserPage(const std::string& profile)
      : chromium_("/bin/sh", {"-c",
                              "exec chromium --headless --no-sandbox --disable-gpu --disable-background-networking "
                              "--no-first-run --remote-debugging-pipe '--user-data-dir=" +
                                  profile + "' 4<&3 2>/dev/null"}) {
    const Json target = Ask("Target.createTarget", {{"url", "about:blank"}});
    session_ = Ask("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    for (const char* part : {"Runtime", "Log", "Network", "Page"}) Ask(fmt::format("{}.enable", part), Json::object());
  }
  ~BrowserPage() { kill(chromium_.pid(), SIGTERM); }
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

  void Open(const std::string& url) { Ask("Page.navigate", {{"url", url}}); }
  // What the expression is worth, as text.
  std::string Text(const std::string& expression) {
    const Json answer = Ask("Runtime.evaluate", {{"expression", "String(" + expression + ")"}});
    return answer.contains("result") ? answer["result"].value("value", std::string()) : std::string();
  }
  // Whether it comes to hold.
  bool Await(const std::string& condition) {
    for (const int64_t until_ns = MonotonicNs() + kPatienceNs; MonotonicNs() < until_ns;) {
      if (Text(condition) == "true") return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  // What the page complained of, and the addresses that it asked.
  std::vector<std::string> complaints, requests;

 private:
  Json Ask(const std::string& method, const Json& parameters) {
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
  Json Next(int64_t until_ns) {
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
  void Note(const Json& message) {
    const std::string method = message.value("method", "");
    if (method == "Network.requestWillBeSent") requests.push_back(message["params"]["request"]["url"]);
    if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown" || method == "Log.entryAdded") {
      complaints.push_back(message["params"].dump());
    }
  }

  SpawnedProgram chromium_;
  std::string session_, bytes_;
  int asked_ = 0;
};

class DashboardInBrowser : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Shell("chromium --version").code != 0) GTEST_SKIP() << "chromium is not installed (Debian package chromium)";
    store_ = RecordStore::Open(Path("s.db"));
    const Json tasks = Json::array({{{"workload", kSampleWorkload}, {"uses", 2}}});
    store_->PutRun({"a", "running", DumpJson({{"model", "<img src=x onerror=alert(1)>"}, {"tasks", tasks}})});
    Append(3);
    dashboard_ = std::make_unique<SpawnedProgram>(
        HONE_PROGRAM, std::vector<std::string>{"dashboard", "--db", Path("s.db"), "--bind", "127.0.0.1:*",
                                               "--port-file", Path("port")});
    for (int i = 0; url_.empty() && i < 400; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::ifstream(Path("port")) >> url_;
    }
    page_ = std::make_unique<BrowserPage>(Path("profile"));
    page_->Open(url_);
    ASSERT_TRUE(page_->Await("document.getElementById('link').textContent === 'live'"));
  }
  void TearDown() override {
    page_.reset();
    if (dashboard_) kill(dashboard_->pid(), SIGKILL);
    dashboard_.reset();
    ProgramTest::TearDown();
  }
  void Append(int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      Record record = SampleRecord(++number_);
      record.session = "a";
      record.unix_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count();
      records.push_back(Finish(record));
    }
    store_->Append(records);
  }
  bool Shows(const std::string& text) {
    return page_->Await("document.getElementById('live').textContent.includes('" + text + "')");
  }

  std::unique_ptr<RecordStore> store_;
  std::unique_ptr<SpawnedProgram> dashboard_;
  std::unique_ptr<BrowserPage> page_;
  std::string url_;
  int number_ = 0;
};

TEST_F(DashboardInBrowser, FollowsWithoutAComplaintOrARequestElsewhere) {
  EXPECT_TRUE(Shows("3 records have arrived"));
  Append(4);
  EXPECT_TRUE(Shows("7 records have arrived"));
  EXPECT_TRUE(page_->Await("document.querySelector('#run-a svg') !== null"));
  EXPECT_EQ(page_->Text("document.querySelectorAll('#live img').length"), "0") << "a name became an element";
  EXPECT_TRUE(Shows("<img src=x onerror=alert(1)>"));
  EXPECT_THAT(page_->complaints, testing::IsEmpty());
  EXPECT_FALSE(page_->requests.empty());
  for (const std::string& request : page_->requests) EXPECT_TRUE(request.starts_with(url_)) << request;
}

TEST_F(DashboardInBrowser, IsThereForKeyboardsAndScreenReaders) {
  ASSERT_TRUE(page_->Await("document.querySelectorAll('.wide').length > 1"));
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('.wide')].every(w => w.tabIndex === 0 && "
                        "w.getAttribute('aria-label').length > 0)"),
            "true");
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('svg')].every(s => s.getAttribute('aria-label').length > 0)"),
            "true");
  EXPECT_EQ(page_->Text("document.querySelectorAll('#store [role=status]').length"), "1");
  // Who has stepped onto a table stays on it when it is drawn anew.
  page_->Text("document.querySelector('#overview .wide').focus()");
  Append(1);
  EXPECT_TRUE(Shows("4 records have arrived"));
  EXPECT_EQ(page_->Text("document.querySelector('#overview .wide') === document.activeElement"), "true");
}

TEST_F(DashboardInBrowser, HoldsStillWhenItIsAskedTo) {
  ASSERT_TRUE(Shows("3 records have arrived"));
  page_->Text("document.getElementById('pause').click()");
  EXPECT_EQ(page_->Text("document.getElementById('pause').getAttribute('aria-pressed')"), "true");
  Append(1);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_THAT(page_->Text("document.getElementById('live').textContent"), HasSubstr("3 records have arrived"));
  page_->Text("document.getElementById('pause').click()");
  EXPECT_TRUE(Shows("4 records have arrived"));
  page_->Text("getSelection().selectAllChildren(document.querySelector('#overview p'))");
  Append(1);
  EXPECT_TRUE(page_->Await("document.querySelector('#run-a table').textContent.includes('tile_ow')"));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_THAT(page_->Text("document.getElementById('live').textContent"), HasSubstr("4 records have arrived"));
  page_->Text("getSelection().removeAllRanges()");
  EXPECT_TRUE(Shows("5 records have arrived"));
}

TEST_F(DashboardInBrowser, ComesBackToAServerThatRestarts) {
  kill(dashboard_->pid(), SIGTERM);
  dashboard_->End(kPatienceNs);
  EXPECT_TRUE(page_->Await("document.getElementById('link').textContent === 'not connected, trying again'"));
  Append(1);
  dashboard_ = std::make_unique<SpawnedProgram>(
      HONE_PROGRAM,
      std::vector<std::string>{"dashboard", "--db", Path("s.db"), "--bind", url_.substr(7, url_.size() - 8)});
  EXPECT_TRUE(Shows("4 records have arrived"));
}

}  // namespace
}  // namespace hone
