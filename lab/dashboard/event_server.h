// Answers HTTP and streams events to connected viewers, from one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/tracker/http_page.h"

namespace hone {

struct HttpRequest {
  std::string method, path;                                    // the path without the '?' and what follows
  std::map<std::string, std::string> headers, cookies, query;  // header names in lower case
  // The value of this name; empty if there is none.
  static std::string Of(const std::map<std::string, std::string>& values, const std::string& name);
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // Whether an event stream (text/event-stream) replaces the body, until the viewer or the server closes it.
  bool streams = false;
};

// Serves GET and HEAD; other methods are answered with 405. Limits: kMostConnections at once, of which kMostStreams may
// be streams (then 503), 64 KiB for a request. A connection is closed after kIdleSeconds without a byte transferred.
//
// A stream holds the part that it is sending and nothing behind it. So a viewer who stalls gets the newest state when
// reading resumes, or is closed. All work is done in Serve, in the caller's thread.
class EventServer {
 public:
  static constexpr unsigned kMostConnections = 128;
  static constexpr size_t kMostStreams = 64;
  static constexpr unsigned kIdleSeconds = 15;

  using Answer = std::function<HttpAnswer(const HttpRequest& request)>;
  // The next part for a viewer who has the state `seen` (0: none), and the state that the viewer then has. No text:
  // nothing to send.
  struct Part {
    std::shared_ptr<const std::string> text;
    int64_t seen = 0;
  };
  using NextPart = std::function<Part(int64_t seen)>;

  // Throws Error(kIo) if the address is taken.
  EventServer(const Address& address, Answer answer, NextPart next);
  ~EventServer();
  EventServer(const EventServer&) = delete;
  EventServer& operator=(const EventServer&) = delete;

  uint16_t port() const;
  // Serves until *stop is set, by a signal or another thread. It then returns within a tenth of a second, with the
  // viewers' streams closed.
  void Serve(const std::atomic<bool>* stop);
  // Announces that there may be a next part. Thread-safe.
  void Wake();

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone
