// A browser of a few lines, for tests and benchmarks of a page that is served.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone {

struct HttpReply {
  int status = 0;                              // 0: no answer came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// The port of "http://127.0.0.1:PORT/".
int PortOfUrl(const std::string& url);

// One request to 127.0.0.1, answered within 5 s. `headers` are whole lines; without a Host among them it is
// 127.0.0.1:PORT.
HttpReply AskHttp(int port, const std::string& path, const std::vector<std::string>& headers = {},
                  const std::string& method = "GET");
// What is answered to these very bytes, up to the end of the connection or `within_ms`.
std::string AskRaw(int port, const std::string& bytes, int within_ms = 2000);

// One who follows an event stream.
class EventViewer {
 public:
  struct Event {
    std::string id, name, data;
    int64_t at_ns = 0;  // MonotonicNs when it was whole
  };

  // Connects and asks; reads nothing yet. `receive_bytes`: of the socket's buffer, 0 for the system's own.
  explicit EventViewer(int port, const std::vector<std::string>& headers = {}, int receive_bytes = 0);
  ~EventViewer();
  EventViewer(const EventViewer&) = delete;
  EventViewer& operator=(const EventViewer&) = delete;

  // The next event; comments are passed over. nullopt: none within the time, or the stream is at its end.
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
  std::string raw_;   // not yet unpacked
  std::string text_;  // of the stream, not yet an event
};

}  // namespace hone
