// The report in a headless Chromium. It renders without complaints or requests. It can be read with the keyboard, by a
// screen reader, in the dark, on paper and on a phone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/record_store.h"
#include "tests/cli/run_program.h"
#include "tests/support/browser_page.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Texts whose contrast with their background is less than 4.5: WCAG 2.2, 1.4.3.
constexpr const char* kDimTexts = R"((() => {
  const parse = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = getComputedStyle(document.body).backgroundColor;
  const dim = [];
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  for (const e of document.querySelectorAll('h1,h2,h3,p,th,td,dt,dd,summary,figcaption,.legend button')) {
    if (!e.textContent.trim()) continue;
    e.scrollIntoView({block: 'center', inline: 'center'});
    let behind = paper;
    for (let o = e; o && behind === paper; o = o.parentElement) {
      const fill = getComputedStyle(o).backgroundColor;
      if (!fill.endsWith(', 0)')) behind = fill;
    }
    const ink = getComputedStyle(e).color, both = [ink, behind].map(c => luminance(parse(c)) + 0.05);
    if (Math.max(...both) / Math.min(...both) < 4.5) dim.push(e.textContent + ' ' + ink + ' on ' + behind);
  }
  return dim.join('; ');
})())";

// Numbers that take more than one line.
constexpr const char* kBrokenNumbers = R"((() => [...document.querySelectorAll('td.r')].filter(e => {
  const range = document.createRange();
  range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
}).map(e => e.textContent).join())())";

// Elements that need a name for a screen reader and have none.
constexpr const char* kNameless = R"((() => [...document.querySelectorAll('.plot,.wide,summary,[tabindex]')].filter(e =>
  !(e.tagName === 'SUMMARY' ? e.textContent : e.getAttribute('aria-label') || '').trim()).map(e => e.outerHTML).join())())";

class ReportInBrowser : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (const std::string why = BrowserPage::WhyNot(); !why.empty()) GTEST_SKIP() << why;
  }
  std::string Url(const std::string& file) const { return "file://" + Path("work/" + file); }
  void Open(const std::string& file) {
    page_ = &BrowserPage::Fresh();
    page_->Open(Url(file));
    ASSERT_TRUE(page_->Await("location.href.endsWith('" + file + "') && document.readyState === 'complete'"));
  }
  // Copies this machine's records to another machine, so that there is a heat map.
  void MeasureOnAnother() const {
    const std::unique_ptr<RecordStore> store = RecordStore::Open(Path("work/s.db"));
    std::vector<Record> records = store->Find({});
    for (Record& record : records) {
      record.measurement.environment.host = "another";
      record.measurement.environment.cpu_id = "GenuineIntel-6-1-1";  // no machine of today
      record = Finish(record);
    }
    store->Append(records);
  }
  // Opens the report of a tuning that all tests share.
  void OpenReport() {
    static std::string report;
    if (report.empty()) MakeReport(report);
    Write("work/report.html", report);
    Open("report.html");
  }
  void MakeReport(std::string& report) const {
    ASSERT_EQ(Shell("hone tune zoo:mlp --image-shape 1,14,14 --threads 1 --trials 3 --finals kernels --db s.db").code,
              0);
    MeasureOnAnother();
    ASSERT_EQ(Shell("hone report zoo:mlp --image-shape 1,14,14 --db s.db -o report.html").code, 0);
    report = Read("work/report.html");
  }
  void ExpectQuietPage(const std::string& file) {
    EXPECT_NE(page_->Text("document.querySelectorAll('.plot canvas').length"), "0");
    EXPECT_THAT(page_->complaints, IsEmpty());
    EXPECT_THAT(page_->requests, ElementsAre(Url(file)));
  }

  BrowserPage* page_ = nullptr;
};

TEST_F(ReportInBrowser, RendersWithoutAComplaintOrARequest) {
  OpenReport();
  ExpectQuietPage("report.html");
}

TEST_F(ReportInBrowser, RendersAHistoryLikewise) {
  ASSERT_EQ(Shell("hone build zoo:mlp --image-shape 1,14,14 --no-records --threads 1 -o P.hone && "
                  "hone bench P.hone --runs 20 --write json=one.json && hone bench P.hone --runs 20 --write "
                  "json=two.json && hone compare --results one.json two.json --since 1h --html history.html")
                .code,
            0);
  Open("history.html");
  ExpectQuietPage("history.html");
  EXPECT_EQ(page_->Text(kNameless), "");
  EXPECT_THAT(page_->Text("Chart.getChart(document.querySelector('.plot canvas')).scales.x.ticks.map(t => t.label)"
                          ".join()"),
              testing::ContainsRegex("^([^,]*[0-9]{2}:[0-9]{2}|[^,]*[0-9]{4}-[0-9]{2}-[0-9]{2})"))
      << "the table has dates, and so has the axis";
}

// A page that breaks the rules fails the checks of the tests above.
TEST_F(ReportInBrowser, WouldShowAScriptAndARequest) {
  Write("work/bad.html",
        "<!doctype html><html><body><img "
        "src=\"http://127.0.0.1:9/x.png\"><script>console.log('x')</script></body></html>");
  Open("bad.html");
  EXPECT_THAT(page_->complaints, testing::Not(IsEmpty()));
  EXPECT_THAT(page_->requests, testing::Contains(HasSubstr("127.0.0.1:9")));
}

TEST_F(ReportInBrowser, HasANameForWhateverIsReachedOrDrawn) {
  OpenReport();
  EXPECT_EQ(page_->Text(kNameless), "");
  EXPECT_NE(page_->Text("document.querySelectorAll('.wide').length"), "0");
}

TEST_F(ReportInBrowser, IsReadInLightAndInDark) {
  OpenReport();
  ASSERT_NE(page_->Text("document.querySelectorAll('.cell').length"), "0") << "a heat map";
  for (const char* scheme : {"light", "dark"}) {
    page_->Show("screen", scheme);
    EXPECT_EQ(page_->Text(kDimTexts), "") << scheme;
  }
}

// From the top the focus reaches the table of times, then the first fold, which Enter opens.
TEST_F(ReportInBrowser, IsWalkedWithTheKeyboard) {
  OpenReport();
  page_->Press("Tab", 9);
  ASSERT_EQ(page_->Text("document.activeElement.getAttribute('aria-label')"), "Times of zoo:mlp");
  EXPECT_EQ(page_->Text("getComputedStyle(document.activeElement).outlineStyle"), "solid") << "where one is, is seen";
  page_->Resize(360, 740);
  page_->Press("ArrowRight", 39);
  EXPECT_TRUE(page_->Await("document.activeElement.scrollLeft > 0"));
  for (int i = 0; i < 40 && page_->Text("document.activeElement.tagName") != "SUMMARY"; ++i) page_->Press("Tab", 9);
  page_->Press("Enter", 13);
  EXPECT_TRUE(
      page_->Await("document.activeElement.tagName === 'SUMMARY' && document.activeElement.parentElement.open"));
}

// Folded parts stay off the paper and say so; what the reader opened is printed.
TEST_F(ReportInBrowser, IsPrintedOnWhitePaperAsItIsOpened) {
  OpenReport();
  const std::string printed = "[...document.querySelectorAll('details table')].filter(t => t.checkVisibility()).length";
  page_->Show("print", "dark");
  EXPECT_EQ(page_->Text(printed), "0");
  EXPECT_THAT(page_->Text("getComputedStyle(document.querySelector('details>summary'), '::after').content"),
              testing::HasSubstr("open it to print it"));
  page_->Text("document.querySelectorAll('details').forEach(d => { d.open = true; })");
  EXPECT_EQ(page_->Text(printed), page_->Text("document.querySelectorAll('details table').length"));
  EXPECT_EQ(page_->Text("getComputedStyle(document.querySelector('details>summary'), '::after').content"), "none");
  EXPECT_EQ(page_->Text("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
  EXPECT_EQ(page_->Text("getComputedStyle(document.querySelector('.cell')).printColorAdjust"), "exact");
}

// A4 on its side is 1031 pixels wide between its margins.
TEST_F(ReportInBrowser, BreaksNoNumberAndCoversNothingOnPaper) {
  OpenReport();
  page_->Resize(1280, 900);
  page_->Show("print", "light");
  page_->Resize(1031, 700);
  EXPECT_EQ(page_->Text(kBrokenNumbers), "");
  EXPECT_EQ(page_->Text("[...document.querySelectorAll('.plot')].filter(p => p.firstChild && "
                        "p.firstChild.clientHeight > p.clientHeight + 1).length"),
            "0");
}

// The page itself does not scroll sideways, and charts are as wide as the page.
TEST_F(ReportInBrowser, FitsAPhone) {
  OpenReport();
  page_->Resize(360, 740);
  EXPECT_EQ(page_->Text("document.documentElement.scrollWidth"), page_->Text("document.documentElement.clientWidth"));
  EXPECT_TRUE(
      page_->Await("[...document.querySelectorAll('.plot')].every(p => !p.checkVisibility() || "
                   "p.querySelector('canvas').clientWidth === p.clientWidth)"));
}

}  // namespace
}  // namespace hone
