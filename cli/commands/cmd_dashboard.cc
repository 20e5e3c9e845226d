#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/record_options.h"
#include "cli/stop.h"
#include "core/error.h"
#include "lab/dashboard/dashboard_page.h"
#include "lab/dashboard/dashboard_watch.h"
#include "lab/dashboard/event_server.h"
#include "lab/files/write_file.h"
#include "lab/records/records.h"
#include "lab/text/print.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

constexpr int64_t kEndNs = 100'000'000;

// "http://127.0.0.1:9192/"; "localhost" if it listens on all addresses.
std::string UrlOf(Address address, uint16_t port) {
  if (address.host == "*") address.host = "localhost";
  address.port = port;
  return "http://" + address.ToText().substr(std::string("tcp://").size()) + "/";
}

std::string TokenFor(const Address& address, const std::string& bind, const std::string& token_file) {
  if (!token_file.empty()) return ReadOrMakeToken(token_file);
  if (address.is_loopback) return "";
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} is not loopback, and whoever gets there would see the page; --token-file FILE asks "
                          "viewers for a token",
                          bind));
}

void SayWhere(const CommandLine& line, const std::string& url, const std::string& token_file) {
  if (line.json()) {
    PrintJson({{"address", url}});
    FlushStdout();
    return;
  }
  Note("dashboard at {}\n", url);
  if (!token_file.empty()) Note("open {}?token=TOKEN with the token in {}\n", url, token_file);
}

void AddServerOptions(CommandLine& line, std::string& bind, std::string& token_file, std::string& port_file) {
  line.Add("--bind", bind, "IP:PORT to serve at; other than loopback needs --token-file")
      .In(OptionGroup::kRemote)
      .ShowDefault();
  line.Add("--token-file", token_file, "file with the token that viewers need; made if missing")
      .In(OptionGroup::kRemote)
      .Writes();
  line.Add("--port-file", port_file, "file that gets the page's address once it is served").Writes();
}

}  // namespace

int DashboardCommand(const Arguments& arguments) {
  CommandLine line("hone dashboard",
                   "A page that shows tunings, their best so far, devices, health and queues as they happen.",
                   "hone dashboard --tracker tcp://tracker:9190");
  line.First({"--tracker", "--bind", "--db"});
  DashboardSources sources;
  std::string bind = "127.0.0.1:9192", token_file, port_file;
  AddStoreOption(line, sources.db);
  line.Add("--tracker", sources.tracker, "tracker, tcp://HOST:PORT, whose devices and queue to show")
      .In(OptionGroup::kRemote)
      .Env("HONE_TRACKER");
  AddClientKeyOptions(line, sources.keys);
  AddServerOptions(line, bind, token_file, port_file);
  if (!line.Parse(arguments)) return 0;
  const Address address = ParseHttpBind(bind);
  if (!sources.tracker.empty()) ParseAddress(sources.tracker);
  // Checks the store before anything is served or made: what is wrong at the start is an error, not a note on the page.
  sources.db = StorePath(sources.db);
  const bool is_there = OpenStoreIfMade(sources.db) != nullptr;
  const ViewerAccess access(TokenFor(address, bind, token_file));
  const std::atomic<bool>* stop = CatchStopSignals();
  const auto board = std::make_shared<SectionBoard>(kBoardGroups);
  EventServer server(
      address, [&](const HttpRequest& request) { return AnswerViewer(request, access, *board); },
      [&board](int64_t seen) {
        SectionBoard::Update update = board->Since(seen);
        return EventServer::Part{std::move(update.text), update.version};
      });
  DashboardWatch watch(sources, board, [&server] { server.Wake(); });
  const std::string url = UrlOf(address, server.port());
  SayWhere(line, url, token_file);
  if (!port_file.empty()) WriteFileAtomically(port_file, url + "\n");
  if (!is_there) Note("{}; the page fills then\n", NoStoreYet(sources.db));
  line.Next("hone report -o report.html" + line.Given({Topic::kStore}));
  server.Serve(stop);
  if (!watch.Stop(kEndNs)) {
    // A thread still waits for a server's answer, and there is nothing to save.
    FlushStdout();
    _exit(StopExitCode(0));
  }
  return StopExitCode(0);
}

}  // namespace hone
