#include "rpc_runner/tracker/http_page.h"

#include <fmt/format.h>
#include <microhttpd.h>

#include <string_view>
#include <utility>

#include "core/error.h"
#include "rpc_runner/tracker/http_host.h"

namespace hone {
namespace {

constexpr unsigned kMostConnections = 16;
constexpr unsigned kMostSilentSeconds = 2;
constexpr size_t kMostRequestBytes = 4096;

Address Loopback(const std::string& text) {
  try {
    const Address address = ParseBindAddress("tcp://" + text);
    if (address.is_loopback) return address;
  } catch (const Error&) {
    // Reported below, in terms of this option.
  }
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} is not a loopback address and a port; 127.0.0.1:9191 would be right", text));
}

// The requested page, if the request may be answered.
HttpPage::Answer AnswerTo(MHD_Connection* connection, const char* path, const char* method,
                          const HttpPage::PageAt& page_at) {
  if (std::string_view(method) != MHD_HTTP_METHOD_GET) {
    return {MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics would be right\n"};
  }
  const char* const host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  if (!IsLoopbackHost(host == nullptr ? "" : host)) {
    return {MHD_HTTP_FORBIDDEN,
            "this page is for this machine alone: http://127.0.0.1 or http://localhost would be right\n"};
  }
  return page_at(path);
}

// Keeps other sites from framing or reading the page, and browsers from reading it as anything but text.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
};

MHD_Result Respond(void* page_at, MHD_Connection* connection, const char* path, const char* method,
                   const char* /*version*/, const char* /*upload*/, size_t* /*upload_bytes*/, void** /*state*/) {
  HttpPage::Answer answer = AnswerTo(connection, path, method, *static_cast<const HttpPage::PageAt*>(page_at));
  MHD_Response* response =
      MHD_create_response_from_buffer(answer.text.size(), answer.text.data(), MHD_RESPMEM_MUST_COPY);
  for (const auto& [name, value] : kHeaders) MHD_add_response_header(response, name, value);
  const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace

HttpPage::HttpPage(const std::string& address, PageAt page_at)
    : socket_(Loopback(address)), page_at_(std::move(page_at)) {
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL, 0, nullptr, nullptr, &Respond, const_cast<PageAt*>(&page_at_),
                             MHD_OPTION_LISTEN_SOCKET, socket_.fd(), MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                             MHD_OPTION_CONNECTION_TIMEOUT, kMostSilentSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                             kMostRequestBytes, MHD_OPTION_END);
  if (daemon_ == nullptr) throw Error(ExitCode::kIo, "the system gives no event descriptor");
}

HttpPage::~HttpPage() {
  // Keeps the library from closing the socket, which this object owns.
  MHD_quiesce_daemon(daemon_);
  MHD_stop_daemon(daemon_);
}

int HttpPage::fd() const { return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd; }

void HttpPage::Serve() { MHD_run(daemon_); }

}  // namespace hone
