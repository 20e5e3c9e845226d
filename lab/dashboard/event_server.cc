#include "lab/dashboard/event_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <list>

#include "core/error.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int kMostWaitMs = 100;  // delay until a stop without a signal is noticed
constexpr int64_t kEventBeatNs = 5'000'000'000;
constexpr size_t kBlockBytes = 32 << 10;
constexpr size_t kMostRequestBytes = 64 << 10;

std::string Lower(const char* text) {
  std::string lower(text);
  for (char& letter : lower) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return lower;
}

// Callback of MHD_get_connection_values; `map` collects these values.
MHD_Result Keep(void* map, MHD_ValueKind kind, const char* name, const char* value) {
  const std::string key = kind == MHD_HEADER_KIND ? Lower(name) : name;
  (*static_cast<std::map<std::string, std::string>*>(map))[key] = value == nullptr ? "" : value;
  return MHD_YES;
}

HttpRequest RequestOf(MHD_Connection* connection, const char* path, const char* method) {
  HttpRequest request{method, path, {}, {}, {}};
  MHD_get_connection_values(connection, MHD_HEADER_KIND, &Keep, &request.headers);
  MHD_get_connection_values(connection, MHD_COOKIE_KIND, &Keep, &request.cookies);
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &Keep, &request.query);
  return request;
}

}  // namespace

std::string HttpRequest::Of(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

class EventServer::Inside {
 public:
  Inside(const Address& address, Answer answer, NextPart next)
      : socket_(address), answer_(std::move(answer)), next_(std::move(next)) {
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &Inside::Handle, this,
                               MHD_OPTION_LISTEN_SOCKET, socket_.fd(), MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                               MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                               kMostRequestBytes, MHD_OPTION_END);
    if (wake_ < 0 || daemon_ == nullptr) {
      if (wake_ >= 0) close(wake_);
      throw Error(ExitCode::kIo, "the web server cannot start: the system gives it no event descriptor");
    }
  }
  ~Inside() {
    Resume();
    // Without this, MHD would close the socket, which it does not own.
    MHD_quiesce_daemon(daemon_);
    MHD_stop_daemon(daemon_);
    close(wake_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  uint16_t port() const { return socket_.port(); }
  void Wake() const {
    const uint64_t one = 1;
    // The write fails if the counter is full, and then the server is awake already.
    static_cast<void>(!write(wake_, &one, sizeof one));
  }

  void Serve(const std::atomic<bool>* stop) {
    const int events = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    int64_t beat_ns = MonotonicNs();
    while (!*stop) {
      std::array<pollfd, 2> both = {{{events, POLLIN, 0}, {wake_, POLLIN, 0}}};
      poll(both.data(), both.size(), WaitMs());
      if (MonotonicNs() - beat_ns >= kEventBeatNs) {
        beat_ns = MonotonicNs();
        for (Stream& stream : streams_) stream.is_to_beat = true;
        Resume();
      }
      uint64_t count = 0;
      if (read(wake_, &count, sizeof count) > 0) Resume();
      MHD_run(daemon_);
    }
    ending_ = true;
    Resume();
    MHD_run(daemon_);
  }

 private:
  // One viewer's stream, suspended while there is nothing to send.
  struct Stream {
    Inside* server = nullptr;
    MHD_Connection* connection = nullptr;
    bool is_suspended = false, is_to_beat = false;
    Part part;  // the part being sent
    size_t sent = 0;
    std::list<Stream>::iterator place;
  };

  int WaitMs() const {
    MHD_UNSIGNED_LONG_LONG milliseconds = kMostWaitMs;
    if (MHD_get_timeout(daemon_, &milliseconds) != MHD_YES) return kMostWaitMs;
    return static_cast<int>(std::min<MHD_UNSIGNED_LONG_LONG>(milliseconds, kMostWaitMs));
  }

  void Resume() {
    for (Stream& stream : streams_) {
      if (stream.is_suspended) MHD_resume_connection(stream.connection);
      stream.is_suspended = false;
    }
  }

  static ssize_t Read(void* self, uint64_t /*position*/, char* buffer, size_t size) {
    Stream& stream = *static_cast<Stream*>(self);
    return stream.server->Fill(stream, buffer, size);
  }

  ssize_t Fill(Stream& stream, char* buffer, size_t size) {
    static const auto beat = std::make_shared<const std::string>(": \n\n");
    if (ending_) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!stream.part.text || stream.sent == stream.part.text->size()) {
      const Part next = next_(stream.part.seen);
      stream.sent = 0;
      if (next.text) {
        stream.part = next;
      } else {
        stream.part.text = stream.is_to_beat ? beat : nullptr;
      }
      stream.is_to_beat = false;
    }
    if (!stream.part.text) {
      stream.is_suspended = true;
      MHD_suspend_connection(stream.connection);
      return 0;
    }
    const size_t part = std::min(size, stream.part.text->size() - stream.sent);
    std::copy_n(stream.part.text->data() + stream.sent, part, buffer);
    stream.sent += part;
    return static_cast<ssize_t>(part);
  }

  static void Forget(void* self) {
    auto* stream = static_cast<Stream*>(self);
    stream->server->streams_.erase(stream->place);
  }

  MHD_Response* StreamTo(MHD_Connection* connection) {
    streams_.emplace_front();
    Stream& stream = streams_.front();
    stream.server = this;
    stream.connection = connection;
    stream.place = streams_.begin();
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kBlockBytes, &Inside::Read, &stream, &Inside::Forget);
  }

  HttpAnswer AnswerTo(const HttpRequest& request) const {
    if (request.method != MHD_HTTP_METHOD_GET && request.method != MHD_HTTP_METHOD_HEAD) {
      return {405, "text/plain; charset=utf-8", "GET would be right\n", {{"Allow", "GET, HEAD"}}, false};
    }
    HttpAnswer answer = answer_(request);
    if (!answer.streams) return answer;
    if (streams_.size() < kMostStreams) return answer;
    return {503, "text/plain; charset=utf-8", fmt::format("{} viewers are here already\n", kMostStreams), {}, false};
  }

  static MHD_Result Handle(void* self, MHD_Connection* connection, const char* path, const char* method,
                           const char* /*version*/, const char* /*upload*/, size_t* /*upload_bytes*/,
                           void** /*state*/) {
    return static_cast<Inside*>(self)->Respond(connection, RequestOf(connection, path, method));
  }

  MHD_Result Respond(MHD_Connection* connection, const HttpRequest& request) {
    const HttpAnswer answer = AnswerTo(request);
    const bool streams = answer.streams && request.method == MHD_HTTP_METHOD_GET;
    MHD_Response* response =
        streams ? StreamTo(connection)
                : MHD_create_response_from_buffer(answer.body.size(), const_cast<char*>(answer.body.data()),
                                                  MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", answer.streams ? "text/event-stream" : answer.type.c_str());
    for (const auto& [name, value] : answer.headers) MHD_add_response_header(response, name.c_str(), value.c_str());
    const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  ListeningSocket socket_;
  const Answer answer_;
  const NextPart next_;
  std::list<Stream> streams_;
  int wake_ = -1;
  bool ending_ = false;
  MHD_Daemon* daemon_ = nullptr;
};

EventServer::EventServer(const Address& address, Answer answer, NextPart next)
    : inside_(std::make_unique<Inside>(address, std::move(answer), std::move(next))) {}
EventServer::~EventServer() = default;
uint16_t EventServer::port() const { return inside_->port(); }
void EventServer::Serve(const std::atomic<bool>* stop) { inside_->Serve(stop); }
void EventServer::Wake() { inside_->Wake(); }

}  // namespace hone
