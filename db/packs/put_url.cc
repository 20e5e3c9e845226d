#include "db/packs/put_url.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "core/error.h"
#include "db/packs/curl_handles.h"

namespace hone {
namespace {

size_t DropBody(const char* /*data*/, size_t size, size_t count, void* /*self*/) { return size * count; }

struct Answer {
  long status = 0;     // 0: no answer
  std::string reason;  // why the transfer broke off
};

class Upload {
 public:
  Upload(const std::string& url, std::string_view bytes, const PutLimits& limits)
      : body_(bytes), curl_(NewCurlHandle(limits.stall_seconds)) {
    // Does not wait for "100 Continue", which small servers do not send.
    headers_.reset(curl_slist_append(nullptr, "Expect:"));
    curl_slist_append(headers_.get(), "Content-Type: application/octet-stream");
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_CUSTOMREQUEST, "PUT");
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    Set(CURLOPT_POSTFIELDS, body_.c_str());
    Set(CURLOPT_HTTPHEADER, headers_.get());
    Set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
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
  const CurlHandle curl_;
  CurlList headers_;
  char reason_[CURL_ERROR_SIZE] = {};
};

// The address without its credentials, which must not be printed.
std::string Shown(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t at = url.find('@', host);
  return at < url.find('/', host) ? url.substr(0, host) + url.substr(at + 1) : url;
}

bool MayPass(const Answer& answer) { return answer.status == 0 || answer.status == 429 || answer.status >= 500; }

}  // namespace

void PutUrl(const std::string& url, std::string_view bytes, const PutLimits& limits) {
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
