// `hone dashboard` from its users' side: over HTTP, beside a store that is being written, and with failures.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <list>
#include <memory>
#include <thread>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/spawned_program.h"
#include "tests/cli/run_program.h"
#include "tests/db/sample_record.h"
#include "tests/lab/dashboard/http_viewer.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kSecondNs = 1'000'000'000;

class DashboardProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    db_ = Path("work/s.db");
    store_ = RecordStore::Open(db_);
    const Json asked = {{"model", "zoo:mlp"},
                        {"target", "llvm -mcpu=znver3"},
                        {"threads", 1},
                        {"strategy", "model"},
                        {"tasks", Json::array({{{"workload", kSampleWorkload}, {"uses", 2}}})}};
    store_->PutRun({"a", "running", DumpJson(asked)});
  }
  void TearDown() override {
    for (auto& program : programs_) kill(program->pid(), SIGKILL);
    programs_.clear();
    ProgramTest::TearDown();
  }

  // Starts a program of hone's that runs on; its stderr goes to the file `name`.err.
  SpawnedProgram& Begin(const std::string& name, const std::vector<std::string>& words) {
    const int err = open(Path(name + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    programs_.push_back(std::make_unique<SpawnedProgram>(HONE_PROGRAM, words, err));
    close(err);
    return *programs_.back();
  }
  // Starts the dashboard of the store, with more options. Returns when its port is known.
  SpawnedProgram& Serve(const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"dashboard", "--db", db_, "--bind", "127.0.0.1:*", "--port-file", Path("port")};
    words.insert(words.end(), options.begin(), options.end());
    SpawnedProgram& program = Begin("dashboard", words);
    url_ = LineOf("port");
    port_ = PortOfUrl(url_.substr(0, url_.size() - 1));
    return program;
  }
  // The first line of a file, once it exists.
  std::string LineOf(const std::string& name) const {
    for (int i = 0; i < 400; ++i) {
      std::ifstream in(Path(name));
      std::string line;
      if (std::getline(in, line) && !in.eof()) return line;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "no line in " << name << "\n" << Read("dashboard.err");
    return "";
  }
  void Append(int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      Record record = SampleRecord(++number_);
      record.session = "a";
      record.unix_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count();
      record.measurement.samples_ns = {int64_t{1'000'000} - number_};
      records.push_back(Finish(record));
    }
    store_->Append(records);
  }
  // Reads until an event has the text in the section. Returns the event's number in the stream; -1 if none came in 10
  // s.
  static int64_t Await(EventViewer& viewer, const std::string& section, const std::string& text) {
    const int64_t until_ns = MonotonicNs() + 10 * kSecondNs;
    std::string last;
    while (MonotonicNs() < until_ns) {
      const auto event = viewer.Next(1000);
      if (!event) {
        if (viewer.is_over()) break;
        continue;
      }
      const Json data = ParseJson(event->data, "an event");
      if (!data["html"].contains(section)) continue;
      last = data["html"][section].get<std::string>();
      if (last.find(text) != std::string::npos) return std::stoll(event->id);
    }
    ADD_FAILURE() << section << " never said " << text << "; last: " << last
                  << (viewer.is_over() ? " (the stream ended)" : "");
    return -1;
  }
  static int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

  std::string db_, url_;
  int port_ = 0, number_ = 0;
  std::unique_ptr<RecordStore> store_;
  std::list<std::unique_ptr<SpawnedProgram>> programs_;
};

TEST_F(DashboardProgram, FollowsAStoreThatIsWritten) {
  Append(3);
  Serve();
  const HttpReply page = AskHttp(port_, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("cache-control"), "no-store");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(AskHttp(port_, "/healthz").body, "ok\n");
  EXPECT_EQ(AskHttp(port_, "/else").status, 404);
  EXPECT_EQ(AskHttp(port_, "/", {}, "POST").status, 405);
  EXPECT_EQ(AskHttp(port_, "/", {"Host: evil.example"}).status, 403);
  EventViewer viewer(port_);
  int64_t seen = Await(viewer, "run-a", ">3</td>");
  for (int i = 0; i < 5; ++i) {
    const int64_t begin_ns = MonotonicNs();
    Append(7);
    const int64_t id = Await(viewer, "run-a", fmt::format(">{}</td>", number_));
    EXPECT_GT(id, seen) << "events come in their order";
    EXPECT_LT(MonotonicNs() - begin_ns, 5 * kSecondNs);
    seen = id;
  }
  // The model's time is twice the best time so far.
  EXPECT_THAT(AskHttp(port_, "/").body, HasSubstr("running</span></td><td class=\"r\">2.000 ms</td>"));
  store_->PutRun({"a", "done", store_->GetRun("a")->json});
  Await(viewer, "store", "0 tunings running");
}

TEST_F(DashboardProgram, ChangesNothingInTheStore) {
  Append(5);
  store_.reset();
  const std::string before = Read("work/s.db");
  std::vector<std::string> files = Files();
  SpawnedProgram& program = Serve();
  EventViewer viewer(port_);
  Await(viewer, "run-a", ">5</td>");
  kill(program.pid(), SIGTERM);
  EXPECT_EQ(CodeOf(program.End(10 * kSecondNs)), 143);
  EXPECT_EQ(Read("work/s.db"), before);
  std::vector<std::string> after = Files();
  std::erase_if(after, [](const std::string& file) { return file == "dashboard.err" || file == "port"; });
  EXPECT_EQ(after, files);
}

TEST_F(DashboardProgram, EndsAtOnceWithViewersThere) {
  SpawnedProgram& program = Serve();
  std::list<EventViewer> viewers;
  for (int i = 0; i < 5; ++i) viewers.emplace_back(port_);
  for (EventViewer& viewer : viewers) ASSERT_TRUE(viewer.Next());
  const int64_t begin_ns = MonotonicNs();
  kill(program.pid(), SIGTERM);
  EXPECT_EQ(CodeOf(program.End(10 * kSecondNs)), 143);
  EXPECT_LT(MonotonicNs() - begin_ns, 2 * kSecondNs);
  EXPECT_FALSE(viewers.front().Next(1000));
}

TEST_F(DashboardProgram, TwentyViewersSeeTheSame) {
  Serve();
  std::list<EventViewer> viewers;
  for (int i = 0; i < 20; ++i) viewers.emplace_back(port_);
  Append(11);
  for (EventViewer& viewer : viewers) Await(viewer, "run-a", ">11</td>");
}

int64_t ResidentKiB(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return 0;
}

TEST_F(DashboardProgram, AStalledViewerTakesNoMemoryAndDelaysNoOther) {
  SpawnedProgram& program = Serve();
  std::list<EventViewer> stalled;
  for (int i = 0; i < 10; ++i) stalled.emplace_back(port_, std::vector<std::string>{}, 4096);
  EventViewer viewer(port_);
  Append(1);
  Await(viewer, "run-a", ">1</td>");
  const int64_t before_kib = ResidentKiB(program.pid());
  for (int i = 0; i < 15; ++i) {
    Append(20);
    Await(viewer, "run-a", fmt::format(">{}</td>", number_));
  }
  EXPECT_LT(ResidentKiB(program.pid()) - before_kib, 16 * 1024);
}

TEST_F(DashboardProgram, AStoreThatGoesAwayIsToldOfAndFoundAgain) {
  Append(2);
  Serve();
  EventViewer viewer(port_);
  Await(viewer, "run-a", ">2</td>");
  std::filesystem::rename(db_, db_ + ".away");
  Await(viewer, "store", "does not answer since");
  EXPECT_THAT(AskHttp(port_, "/").body, HasSubstr("removed or replaced"));
  std::filesystem::rename(db_ + ".away", db_);
  Await(viewer, "store", "1 tuning running");
  Append(2);
  Await(viewer, "run-a", ">4</td>");
}

TEST_F(DashboardProgram, AStoreThatIsDamagedWhileItIsWatchedIsToldOf) {
  Append(2);
  Serve();
  EventViewer viewer(port_);
  Await(viewer, "run-a", ">2</td>");
  store_.reset();
  // Written in place, as a failing disk would.
  std::fstream file(db_, std::ios::in | std::ios::out | std::ios::binary);
  file << std::string(8192, 'x');
  file.close();
  Await(viewer, "store", "does not answer since");
  EXPECT_EQ(AskHttp(port_, "/healthz").status, 200);
}

TEST_F(DashboardProgram, ATrackerThatRestartsIsFoundAgain) {
  const auto begin_tracker = [this](const std::string& bind) -> SpawnedProgram& {
    std::filesystem::remove(Path("tracker.port"));
    return Begin("tracker", {"tracker", "--bind", bind, "--port-file", Path("tracker.port")});
  };
  SpawnedProgram& first = begin_tracker("tcp://127.0.0.1:*");
  const std::string tracker = LineOf("tracker.port");
  Serve({"--tracker", tracker});
  EventViewer viewer(port_);
  Await(viewer, "fleet", "answers");
  EXPECT_THAT(AskHttp(port_, "/").body, HasSubstr("No runner is connected."));
  kill(first.pid(), SIGKILL);
  first.End(kSecondNs);
  Await(viewer, "fleet", "does not answer since");
  begin_tracker(tracker);
  Await(viewer, "fleet", tracker + " answers");
}

TEST_F(DashboardProgram, ASilentTrackerDoesNotDelayTheEnd) {
  SpawnedProgram& program = Serve({"--tracker", "tcp://127.0.0.1:9"});
  EventViewer viewer(port_);
  ASSERT_TRUE(viewer.Next());
  const int64_t begin_ns = MonotonicNs();
  kill(program.pid(), SIGTERM);
  EXPECT_EQ(CodeOf(program.End(10 * kSecondNs)), 143);
  EXPECT_LT(MonotonicNs() - begin_ns, kSecondNs);
}

TEST_F(DashboardProgram, ATokenIsRequiredForEveryPage) {
  Append(1);
  Serve({"--token-file", Path("token")});
  const std::string token = LineOf("token");
  for (const char* path : {"/", "/events", "/healthz", "/x", "/?token=wrong", "/events?token="}) {
    const HttpReply reply = AskHttp(port_, path);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_EQ(reply.body, "this page wants its token: /?token=TOKEN would be right\n");
  }
  EXPECT_EQ(AskHttp(port_, "/", {"Authorization: Bearer " + token, "Host: lab.example"}).status, 200);
  const HttpReply welcome = AskHttp(port_, "/?token=" + token);
  EXPECT_EQ(welcome.status, 303);
  EXPECT_EQ(welcome.headers.at("location"), "/");
  const std::string cookie = welcome.headers.at("set-cookie");
  EXPECT_EQ(AskHttp(port_, "/", {"Cookie: " + cookie.substr(0, cookie.find(';'))}).status, 200);
  EventViewer viewer(port_, {"Cookie: " + cookie.substr(0, cookie.find(';'))});
  Await(viewer, "run-a", ">1</td>");
  EXPECT_THAT(Read("dashboard.err"), Not(HasSubstr(token)));
}

TEST_F(DashboardProgram, SaysInOneLineWhatIsWrong) {
  const auto expect_failure = [this](const std::vector<std::string>& words, int code, const std::string& message) {
    // A dashboard that served instead of refusing would not end by itself.
    std::string line = "timeout 20 \"$HONE\" dashboard";
    for (const std::string& word : words) line += " '" + word + "'";
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
  };
  for (const char* open : {"0.0.0.0:*", "*:*", "[::]:*", "192.0.2.1:9192"}) {
    expect_failure({"--db", db_, "--bind", open}, 78, "--token-file FILE asks viewers for a token");
  }
  expect_failure({"--db", db_, "--bind", "nowhere"}, 78, "nowhere is not an address to serve at");
  expect_failure({"--db", db_, "--tracker", "nowhere"}, 78, "tcp://HOST:PORT");
  expect_failure({"--db", db_, "--token-file", Path("no/folder/token")}, 73, "token");
  expect_failure({"--db", db_, "--bid", "x"}, 2, "--bind");
  Write("work/other.db", "this is no store, and long enough to be looked at as one");
  expect_failure({"--db", Path("work/other.db")}, 65, "is not a hone store");
  Write("open", "0123456789abcdef\n");
  chmod(Path("open").c_str(), 0644);
  expect_failure({"--db", db_, "--token-file", Path("open")}, 78, "token");
  Serve();
  expect_failure({"--db", db_, "--bind", fmt::format("127.0.0.1:{}", port_)}, 74, "Address already in use");
}

TEST_F(DashboardProgram, WaitsForTheFirstTuning) {
  db_ = Path("work/later.db");
  Serve();
  EventViewer viewer(port_);
  Await(viewer, "store", "there is no record store " + db_ + " yet; `hone tune` or `hone log import` makes it");
  EXPECT_THAT(Read("dashboard.err"), HasSubstr("makes it; the page fills then\n"));
  store_ = RecordStore::Open(db_);
  store_->PutRun({"a", "running", "{}"});
  Append(1);
  Await(viewer, "run-a", ">1</td>");
}

TEST_F(DashboardProgram, PrintsItsAddress) {
  Serve();
  EXPECT_EQ(url_, fmt::format("http://127.0.0.1:{}/", port_));
  EXPECT_THAT(LineOf("dashboard.err"), HasSubstr("dashboard at " + url_));
  EXPECT_THAT(Read("dashboard.err"), HasSubstr("next: hone report -o report.html --db "));
}

TEST_F(DashboardProgram, TellsAScriptWhereItIs) {
  const ProgramResult r = Shell(
      "\"$HONE\" dashboard --db s.db --bind '127.0.0.1:*' --port-file port --json >out & dashboard=$!; "
      "for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done; kill $dashboard; wait $dashboard; echo $?");
  EXPECT_EQ(r.out, "143\n");
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(ParseJson(Read("work/out"), "what it printed")["address"].get<std::string>() + "\n", Read("work/port"));
}

}  // namespace
}  // namespace hone
