// A minimal browser for tests and benchmarks of served pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone {

struct HttpReply {
  int status = 0;                              // 0 if no answer came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// The port of "http://127.0.0.1:PORT/".
int PortOfUrl(const std::string& url);

// Sends one request to 127.0.0.1, which must be answered within 5 s. `headers` are whole lines; Host is 127.0.0.1:PORT
// unless they have one.
HttpReply AskHttp(int port, const std::string& path, const std::vector<std::string>& headers = {},
                  const std::string& method = "GET");
// The answer to exactly these bytes, up to the end of the connection or `within_ms`.
std::string AskRaw(int port, const std::string& bytes, int within_ms = 2000);

// A client that follows an event stream.
class EventViewer {
 public:
  struct Event {
    std::string id, name, data;
    int64_t at_ns = 0;  // MonotonicNs when it was complete
  };

  // Connects and sends the request; reads nothing yet. `receive_bytes` is the size of the socket's buffer, 0 for the
  // system's default.
  explicit EventViewer(int port, const std::vector<std::string>& headers = {}, int receive_bytes = 0);
  ~EventViewer();
  EventViewer(const EventViewer&) = delete;
  EventViewer& operator=(const EventViewer&) = delete;

  // The next event; skips comments. nullopt if none comes in time or the stream has ended.
  std::optional<Event> Next(int within_ms = 5000);
  // Whether the other end has closed the stream.
  bool is_over() const { return is_over_; }
  // The status of the answer; 0 before Next was called.
  int status() const { return status_; }
  int fd() const { return fd_; }

 private:
  bool Read(int64_t until_ns);
  std::optional<Event> Whole();

  int fd_ = -1;
  int status_ = 0;
  bool is_over_ = false;
  std::string raw_;   // chunks not yet decoded
  std::string text_;  // of the stream, not yet an event
};

}  // namespace hone
