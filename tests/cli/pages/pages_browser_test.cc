// The four pages that hone makes, of stored data, in three widths, light and dark: nothing is cut off or overlaps,
// axe-core finds nothing, and each looks as it did. HONE_KEEP_SCREENSHOTS=1 keeps what is shown.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "rpc_runner/process/spawned_program.h"
#include "tests/cli/pages/page_checks.h"
#include "tests/cli/run_program.h"
#include "tests/support/browser_page.h"

namespace hone {
namespace {

constexpr int kWidths[] = {390, 1280, 1920};
constexpr int kMostSheets = 5;  // of a report whose parts are folded
constexpr const char* kHub = HONE_SOURCE_DIR "/hub/";

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class PagesInBrowser : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (const std::string why = BrowserPage::WhyNot(); !why.empty()) GTEST_SKIP() << why;
    page_ = &BrowserPage::Fresh();
  }
  void TearDown() override {
    for (auto& program : programs_) kill(program->pid(), SIGKILL);
    programs_.clear();
    ProgramTest::TearDown();
  }
  // Records of the hub's logs as three devices: two offers of one kind, and an older machine.
  // Without their finals the records are trials, which a dashboard follows.
  void FillStore(bool has_finals = true) {
    ASSERT_EQ(Shell(fmt::format("hone log import {0}amd-zen4.log {0}intel-cascade-lake.log --db hub.db", kHub)).code,
              0);
    const std::unique_ptr<RecordStore> hub = RecordStore::Open(Path("work/hub.db"));
    const std::unique_ptr<RecordStore> store = RecordStore::Open(Path("work/s.db"));
    constexpr int kMostLive = 30;
    std::map<std::string, int> of_label;
    std::vector<Record> records;
    for (Record record : hub->Find({})) {
      if (record.candidate.target.cpu == "x86-64-v3") continue;
      Environment& machine = record.measurement.environment;
      const bool is_amd = machine.cpu_model.starts_with("AMD");
      machine.key = is_amd ? "cloud" : "lab";
      machine.label = !is_amd ? "cascade-lake" : record.threads == 1 ? "zen4-1core" : "zen4-2cores";
      machine.cpu_id = is_amd ? "AuthenticAMD-25-97-2" : "GenuineIntel-6-85-7";  // no machine of a test's
      // A few tasks are enough for a dashboard.
      if (!has_finals && ++of_label[machine.label] > kMostLive) continue;
      if (!has_finals) record.finals = {};
      records.push_back(Change(std::move(record)));
    }
    store->Append(records);
  }
  // Puts a record into the tunings' sessions; the newest is a moment old.
  Record Change(Record record) {
    record.session = record.threads == 1 ? "tuning-1core" : "tuning-2cores";
    record.unix_ms = now_ms_ - 600'000 + 500 * ++number_;
    record.id.clear();
    return Finish(record);
  }
  void PutRuns() {
    const std::unique_ptr<RecordStore> store = RecordStore::Open(Path("work/s.db"));
    for (const int threads : {1, 2}) {
      RecordQuery query;
      query.threads = threads;
      Target target;
      std::set<std::string> workloads;
      for (const Record& record : store->Find(query)) {
        if (!record.measurement.environment.cpu_model.starts_with("AMD")) continue;
        target = record.candidate.target;
        workloads.insert(record.candidate.workload.ToText());
      }
      Json tasks = Json::array();
      for (const std::string& workload : workloads) tasks.push_back({{"workload", workload}, {"uses", 1}});
      const Json budget = {{"ms", 900'000}, {"begun_unix_ms", now_ms_ - 600'000}};
      store->PutRun({threads == 1 ? "tuning-1core" : "tuning-2cores", threads == 1 ? "done" : "running",
                     DumpJson({{"model", threads == 1 ? "zoo:resnet-18" : "zoo:all-networks"},
                               {"target", target.ToText()},
                               {"threads", threads},
                               {"strategy", "model"},
                               {"tasks", tasks},
                               {"budget", budget}})});
    }
  }
  void Start(const char* program, const std::vector<std::string>& words) {
    programs_.push_back(std::make_unique<SpawnedProgram>(program, words));
  }
  std::string AddressIn(const std::string& file) const {
    std::string text;
    for (int i = 0; text.empty() && i < 400; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::ifstream(Path(file)) >> text;
    }
    return text;
  }
  void Open(const std::string& url) {
    page_->Open(url);
    ASSERT_TRUE(page_->Await("location.href === '" + url + "' && document.readyState === 'complete'"));
  }
  void OpenFile(const std::string& file) { Open("file://" + Path("work/" + file)); }
  // Fonts and dates differ by less than `most_different`.
  void CheckAll(const std::string& name, double most_different = 0.06) {
    page_->Run("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    for (const char* scheme : {"light", "dark"}) {
      page_->Show("screen", scheme);
      for (const int width : kWidths) {
        page_->Resize(width, 900);
        ASSERT_TRUE(IsDrawn(*page_)) << name << " " << width;
        EXPECT_EQ(BoxFindings(*page_), "") << name << " " << width << " " << scheme;
        EXPECT_EQ(AxeFindings(*page_), "") << name << " " << width << " " << scheme;
        const std::string shot = fmt::format("{}_{}_{}", name, width, scheme);
        EXPECT_EQ(ScreenshotFindings(*page_, shot, width, Path("work"), most_different), "");
      }
    }
    CheckPaper(name);
    EXPECT_THAT(page_->complaints, testing::IsEmpty());
  }
  // A4 on its side is 1031 pixels wide between its margins.
  void CheckPaper(const std::string& name) {
    page_->Show("print", "light");
    page_->Resize(1031, 700);
    EXPECT_EQ(BoxFindings(*page_), "") << name << " on paper";
    page_->Show("screen", "light");
  }

  const int64_t now_ms_ = NowMs();
  int64_t number_ = 0;
  std::vector<std::unique_ptr<SpawnedProgram>> programs_;
  BrowserPage* page_ = nullptr;
};

constexpr const char* kOfThree =
    " zoo:resnet-18 --db s.db --accept threads --price zen4-1core=0.05/h --price zen4-2cores=0.09/h --price "
    "cascade-lake=0.04/h";

// A dashboard's dates and rates change, in their number of digits too, as does the folder's name. Its runner is this
// machine.
constexpr const char* kSameEachTime =
    "const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
    "while (walk.nextNode()) walk.currentNode.data = "
    "walk.currentNode.data.replace(/hone_program_[A-Za-z0-9]+/g, 'folder').replace(/[0-9][0-9.,:]*/g, '00');"
    "document.querySelectorAll('#runners td, #runners tbody th').forEach(c => { c.textContent = 'sill'; });";

TEST_F(PagesInBrowser, TheReportIsWhole) {
  FillStore();
  ASSERT_EQ(Shell(std::string("hone report -o r.html") + kOfThree).code, 0);
  OpenFile("r.html");
  page_->Resize(1280, 800);
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('.cards div')].filter(d => "
                        "d.getBoundingClientRect().bottom < innerHeight).map(d => d.firstChild.textContent).join()"),
            "Fastest,Cheapest,Why,Unsure")
      << "the first screen has all answers";
  const int sheets = page_->Sheets();
  EXPECT_TRUE(sheets >= 1 && sheets <= kMostSheets) << sheets;
  CheckAll("report");
  EXPECT_GT(page_->Sheets(), sheets) << "parts that were opened are printed";
}

TEST_F(PagesInBrowser, TheComparisonIsWhole) {
  FillStore();
  ASSERT_EQ(Shell(std::string("hone compare --html c.html") + kOfThree).code, 0);
  OpenFile("c.html");
  CheckAll("compare");
}

TEST_F(PagesInBrowser, TheReportOfAStoreIsWhole) {
  FillStore();
  PutRuns();
  ASSERT_EQ(Shell("hone report -o all.html --db s.db").code, 0);
  OpenFile("all.html");
  CheckAll("store");
}

TEST_F(PagesInBrowser, TheDashboardIsWhole) {
  FillStore(false);
  PutRuns();
  Start(HONE_PROGRAM, {"tracker", "--bind", "tcp://127.0.0.1:*", "--port-file", Path("tracker")});
  const std::string tracker = AddressIn("tracker");
  Start(HONE_RUNNER, {"--tracker", tracker, "--key", "board", "--label", "sill"});
  Start(HONE_PROGRAM, {"dashboard", "--db", Path("work/s.db"), "--tracker", tracker, "--bind", "127.0.0.1:*",
                       "--port-file", Path("page")});
  Open(AddressIn("page"));
  ASSERT_TRUE(page_->Await(
      "document.querySelectorAll('#live .plot').length > 0 && document.querySelector('#runners td') !== null"))
      << page_->Text("document.querySelectorAll('#live .plot').length + document.getElementById('live').textContent");
  ASSERT_TRUE(page_->Await("document.getElementById('live').textContent.includes('no runner of cloud is left')"));
  page_->Run("document.getElementById('pause').click()");
  page_->Run(kSameEachTime);
  // A line of a live page may wrap elsewhere, which moves all that follows.
  CheckAll("dashboard", 0.15);
}

// A page that breaks the rules fails the checks of the tests above.
TEST_F(PagesInBrowser, TheChecksFindWhatIsWrong) {
  Write(
      "work/bad.html",
      "<!doctype html><html><body><p>one</p><p style=\"margin-top:-1.5em\">another</p><div style=\"width:5em;overflow:"
      "hidden;white-space:nowrap\">a text that is too long</div><div "
      "style=\"width:5em;overflow:auto;white-space:nowrap\">"
      "a text that is too long</div><p style=\"width:3000px;text-align:right\">far</p><img "
      "src=\"data:,\"></body></html>");
  OpenFile("bad.html");
  const std::string boxes = BoxFindings(*page_), axe = AxeFindings(*page_);
  for (const char* what : {"over another: P one", "cut off: DIV", "scrolls without a sign", "outside the window: P far",
                           "the page is 3"}) {
    EXPECT_THAT(boxes, testing::HasSubstr(what));
  }
  EXPECT_THAT(axe, testing::HasSubstr("image-alt"));
}

}  // namespace
}  // namespace hone
