// Answers HTTP and streams events to whoever stays, from one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/tracker/listening_socket.h"

namespace hone {

struct HttpRequest {
  std::string method, path;                                    // the path without what follows a '?'
  std::map<std::string, std::string> headers, cookies, query;  // header names in lower case
  // Empty where it is not there.
  static std::string Of(const std::map<std::string, std::string>& values, const std::string& name);
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // An event stream (text/event-stream) in place of the body, until the viewer or the server goes.
  bool streams = false;
};

// Takes GET and HEAD; what else comes is answered 405. Bounds: kMostConnections at once, of which kMostStreams may be
// streams (then 503), 64 KiB for a request, kIdleSeconds without a byte taken or given, after which a connection is
// closed. A stream holds the part that it is sending and nothing behind it: a viewer who stalls gets the newest state
// when it reads on, and is closed when it does not. All work is done in Serve, in the caller's thread.
class EventServer {
 public:
  static constexpr unsigned kMostConnections = 128;
  static constexpr size_t kMostStreams = 64;
  static constexpr unsigned kIdleSeconds = 15;

  using Answer = std::function<HttpAnswer(const HttpRequest& request)>;
  // What comes next for a viewer who has what `seen` stands for (0: nothing), and what it then has. No text: nothing.
  struct Part {
    std::shared_ptr<const std::string> text;
    int64_t seen = 0;
  };
  using NextPart = std::function<Part(int64_t seen)>;

  // Throws Error(kIo) when the address is taken.
  EventServer(const Address& address, Answer answer, NextPart next);
  ~EventServer();
  EventServer(const EventServer&) = delete;
  EventServer& operator=(const EventServer&) = delete;

  uint16_t port() const;
  // Until *stop is set, by a signal or another thread: then it returns within a tenth of a second, and the viewers'
  // streams are at their end.
  void Serve(const std::atomic<bool>* stop);
  // There may be a next part. From any thread.
  void Wake();

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone
