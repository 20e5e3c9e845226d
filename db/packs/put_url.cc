#include "db/packs/put_url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "core/error.h"

namespace hone {
namespace {

struct CurlCloser {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

size_t DropBody(const char* /*data*/, size_t size, size_t count, void* /*self*/) { return size * count; }

struct Answer {
  long status = 0;     // 0: there was none
  std::string reason;  // of a transfer that broke off
};

class Upload {
 public:
  Upload(const std::string& url, std::string_view bytes, const PutLimits& limits)
      : body_(bytes), curl_(curl_easy_init()) {
    if (!curl_) throw Error(ExitCode::kIo, "libcurl cannot begin");
    // No waiting for "100 Continue": small servers do not say it.
    headers_.reset(curl_slist_append(nullptr, "Expect:"));
    curl_slist_append(headers_.get(), "Content-Type: application/octet-stream");
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_CUSTOMREQUEST, "PUT");
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    Set(CURLOPT_POSTFIELDS, body_.c_str());
    Set(CURLOPT_HTTPHEADER, headers_.get());
    Set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    Set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits.stall_seconds));
    Set(CURLOPT_LOW_SPEED_LIMIT, 100L);
    Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits.stall_seconds));
    Set(CURLOPT_ERRORBUFFER, reason_);
    Set(CURLOPT_WRITEFUNCTION, &DropBody);
  }

  Answer Send() {
    reason_[0] = '\0';
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) return {0, reason_[0] != '\0' ? reason_ : curl_easy_strerror(code)};
    Answer answer;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    answer.reason = fmt::format("the server answers {}", answer.status);
    return answer;
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  const std::string body_;
  std::unique_ptr<CURL, CurlCloser> curl_;
  std::unique_ptr<curl_slist, ListCloser> headers_;
  char reason_[CURL_ERROR_SIZE] = {};
};

// Nobody's token is printed.
std::string Shown(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t at = url.find('@', host);
  return at < url.find('/', host) ? url.substr(0, host) + url.substr(at + 1) : url;
}

bool MayPass(const Answer& answer) { return answer.status == 0 || answer.status == 429 || answer.status >= 500; }

}  // namespace

void PutUrl(const std::string& url, std::string_view bytes, const PutLimits& limits) {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (begun != CURLE_OK) throw Error(ExitCode::kIo, "libcurl cannot begin");
  Upload upload(url, bytes, limits);
  int64_t pause_ms = limits.pause_ms;
  for (int attempt = 1;; ++attempt, pause_ms *= 2) {
    const Answer answer = upload.Send();
    if (answer.status >= 200 && answer.status < 300) return;
    if (answer.status == 401 || answer.status == 403) {
      throw Error(ExitCode::kNotAuthorised,
                  fmt::format("'{}' may not be written: {}; a name and a token are given in ~/.netrc", Shown(url),
                              answer.reason));
    }
    if (!MayPass(answer)) {
      throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be written: {}", Shown(url), answer.reason));
    }
    if (attempt >= limits.attempts) {
      throw Error(ExitCode::kNoRunner, fmt::format("'{}' cannot be reached: {}", Shown(url), answer.reason));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

}  // namespace hone
