// The dashboard in a headless Chromium. It follows the store without complaints or foreign requests, and keeps the
// element that has the focus.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "rpc_runner/process/spawned_program.h"
#include "tests/cli/run_program.h"
#include "tests/db/sample_record.h"
#include "tests/support/browser_page.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr int64_t kPatienceNs = 30'000'000'000;

class DashboardInBrowser : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (const std::string why = BrowserPage::WhyNot(); !why.empty()) GTEST_SKIP() << why;
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
    page_ = &BrowserPage::Fresh();
    page_->Open(url_);
    ASSERT_TRUE(page_->Await("document.getElementById('link').textContent === 'live'"));
  }
  void TearDown() override {
    if (dashboard_) kill(dashboard_->pid(), SIGKILL);
    dashboard_.reset();
    ProgramTest::TearDown();
  }
  void Append(int count, const std::string& session = "a") {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      Record record = SampleRecord(++number_);
      record.session = session;
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
  BrowserPage* page_ = nullptr;
  std::string url_;
  int number_ = 0;
};

TEST_F(DashboardInBrowser, FollowsWithoutAComplaintOrARequestElsewhere) {
  EXPECT_TRUE(Shows("3 records have arrived"));
  Append(4);
  EXPECT_TRUE(Shows("7 records have arrived"));
  EXPECT_TRUE(page_->Await("document.querySelector('#trials-run-a .plot') !== null"));
  EXPECT_EQ(page_->Text("document.querySelectorAll('#live img').length"), "0") << "a name became an element";
  EXPECT_TRUE(Shows("<img src=x onerror=alert(1)>"));
  EXPECT_THAT(page_->complaints, testing::IsEmpty());
  EXPECT_FALSE(page_->requests.empty());
  for (const std::string& request : page_->requests) EXPECT_TRUE(request.starts_with(url_)) << request;
}

TEST_F(DashboardInBrowser, WorksWithKeyboardsAndScreenReaders) {
  ASSERT_TRUE(page_->Await("document.querySelectorAll('.wide').length > 1"));
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('.wide')].every(w => w.tabIndex === 0 && "
                        "w.getAttribute('aria-label').length > 0)"),
            "true");
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('.plot')].every(s => s.getAttribute('aria-label').length > 0)"),
            "true");
  EXPECT_EQ(page_->Text("document.querySelectorAll('#store [role=status]').length"), "1");
  // A table keeps the keyboard focus when it is redrawn.
  page_->Text("document.querySelector('#overview .wide').focus()");
  Append(1);
  EXPECT_TRUE(Shows("4 records have arrived"));
  EXPECT_EQ(page_->Text("document.querySelector('#overview .wide') === document.activeElement"), "true");
}

TEST_F(DashboardInBrowser, FiltersTuningsByTheirWords) {
  store_->PutRun({"b", "done", DumpJson({{"model", "zoo:squeezenet"}, {"tasks", Json::array()}})});
  Append(1, "b");
  ASSERT_TRUE(page_->Await("document.querySelectorAll('#overview tbody tr').length === 2"));
  const std::string shown =
      "[...document.querySelectorAll('#run-a, #run-b')].filter(s => s.checkVisibility()).map(s => s.id).join()";
  const auto type = [&](const std::string& words) {
    page_->Run("document.getElementById('filter').value = '" + words + "'");
    page_->Run("document.getElementById('filter').dispatchEvent(new Event('input'))");
    return page_->Text(shown);
  };
  EXPECT_EQ(type("SqueezeNet done"), "run-b");
  EXPECT_EQ(type("onerror"), "run-a");
  EXPECT_EQ(type("squeezenet running"), "");
  EXPECT_THAT(type(""), testing::AnyOf("run-a,run-b", "run-b,run-a"));
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
  EXPECT_TRUE(page_->Await("document.querySelector('#run-a').textContent.includes('tile_ow')"))
      << page_->Text("document.querySelector('#run-a').textContent");
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
