#include "db/packs/fetch_url.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "core/error.h"
#include "db/packs/curl_handles.h"

namespace hone {
namespace {

// One transfer that may take several attempts.
class Transfer {
 public:
  Transfer(const std::string& url, const FetchLimits& limits)
      : url_(url), limits_(limits), curl_(NewCurlHandle(limits.stall_seconds)) {
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_FOLLOWLOCATION, 1L);
    Set(CURLOPT_MAXREDIRS, 5L);
    Set(CURLOPT_ERRORBUFFER, reason_);
    Set(CURLOPT_WRITEFUNCTION, &Transfer::TakeBody);
    Set(CURLOPT_WRITEDATA, this);
    Set(CURLOPT_HEADERFUNCTION, &Transfer::TakeHeader);
    Set(CURLOPT_HEADERDATA, this);
  }

  std::string Run() {
    int64_t pause_ms = limits_.pause_ms;
    for (int attempt = 1;; ++attempt, pause_ms *= 2) {
      const CURLcode code = Attempt();
      if (too_long_) {
        throw Error(ExitCode::kBadData, fmt::format("'{}' is longer than {} bytes", url_, limits_.most_bytes));
      }
      const long status = Status();
      if (code == CURLE_OK && (status == 200 || status == 206)) return std::move(body_);
      const bool asked_wrong = code == CURLE_OK && status >= 400 && status < 500 && status != 416;
      if (asked_wrong) throw Error(ExitCode::kNoInput, fmt::format("'{}': the server answers {}", url_, status));
      if (status == 416) Forget();
      if (attempt >= limits_.attempts) {
        throw Error(ExitCode::kNoRunner, fmt::format("'{}' cannot be fetched: {}", url_, Why(code, status)));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  // A resumed transfer is appended only if the server's validator says that the content is still the same.
  CURLcode Attempt() {
    if (validator_.empty()) Forget();
    CurlList headers;
    if (!body_.empty()) {
      headers.reset(curl_slist_append(nullptr, ("If-Range: " + validator_).c_str()));
      Set(CURLOPT_RANGE, fmt::format("{}-", body_.size()).c_str());
    } else {
      Set(CURLOPT_RANGE, static_cast<const char*>(nullptr));
    }
    Set(CURLOPT_HTTPHEADER, headers.get());
    reason_[0] = '\0';
    const CURLcode code = curl_easy_perform(curl_.get());
    Set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    return code;
  }

  void Forget() {
    body_.clear();
    validator_.clear();
  }

  long Status() const {
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  std::string Why(CURLcode code, long status) const {
    if (code == CURLE_OK) return fmt::format("the server answers {}", status);
    return reason_[0] != '\0' ? reason_ : curl_easy_strerror(code);
  }

  static size_t TakeHeader(const char* data, size_t size, size_t count, void* self) {
    static_cast<Transfer*>(self)->Header({data, size * count});
    return size * count;
  }

  void Header(std::string_view line) {
    const size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) fresh_ = true;
    if (colon == std::string_view::npos) return;
    const std::string name(line.substr(0, colon));
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n')) value.remove_suffix(1);
    const bool tag = curl_strequal(name.c_str(), "etag") != 0 && !value.starts_with("W/");
    const bool date = curl_strequal(name.c_str(), "last-modified") != 0;
    if (tag || (date && validator_.empty())) validator_ = value;
  }

  static size_t TakeBody(const char* data, size_t size, size_t count, void* self) {
    return static_cast<Transfer*>(self)->Body({data, size * count});
  }

  // A 200 as answer to a range request is the whole content again. Bodies of error answers are dropped.
  size_t Body(std::string_view bytes) {
    const long status = Status();
    if (status != 200 && status != 206) return bytes.size();
    if (fresh_ && status == 200) body_.clear();
    fresh_ = false;
    if (static_cast<int64_t>(body_.size() + bytes.size()) > limits_.most_bytes) {
      too_long_ = true;
      return 0;
    }
    body_ += bytes;
    return bytes.size();
  }

  const std::string url_;
  const FetchLimits limits_;
  const CurlHandle curl_;
  char reason_[CURL_ERROR_SIZE] = {};
  std::string body_, validator_;
  bool fresh_ = false;  // no byte of this answer was taken yet
  bool too_long_ = false;
};

}  // namespace

bool IsUrl(const std::string& text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string FetchUrl(const std::string& url, const FetchLimits& limits) { return Transfer(url, limits).Run(); }

}  // namespace hone
