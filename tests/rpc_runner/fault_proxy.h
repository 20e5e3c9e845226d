// Deliberate network faults.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace hone {

// Passes the bytes of any number of connections on to a tracker without keys, in both directions, as `faults` says.
// Serves in a thread until destroyed; all functions may be called from any thread.
class FaultProxy {
 public:
  struct Faults {
    bool doubles = false;  // each ZMTP message twice; handshakes and the library's own commands once
    int64_t delay_ns = 0;  // delay of every byte
  };
  explicit FaultProxy(const std::string& address) : FaultProxy(address, Faults()) {}
  FaultProxy(const std::string& address, const Faults& faults);
  ~FaultProxy();
  const std::string& address() const { return address_; }

  // Bytes passed on so far in both directions together.
  int64_t passed() const { return passed_; }
  // After `bytes` more bytes, closes all connections, or stops passing bytes over them. Later connections are served as
  // before.
  void CloseAfter(int64_t bytes) { Cut(bytes, false); }
  void StallAfter(int64_t bytes) { Cut(bytes, true); }
  // Whether the cut has happened.
  bool has_cut() const { return left_ == 0; }

 private:
  class Link;
  void Cut(int64_t bytes, bool stalls);
  void Loop();
  void CutAll();
  // Sends the part of `bytes` that lies before the cut.
  bool Pass(int fd, const std::string& bytes);

  const std::string to_;
  const Faults faults_;
  std::string address_;
  int listener_ = -1;
  std::atomic<int64_t> passed_{0}, left_{-1};  // left_: bytes until the cut; 0 after it, -1 if none is set
  std::atomic<bool> stalls_{false}, stop_{false};
  std::vector<std::unique_ptr<Link>> links_;
  std::thread thread_;
};

}  // namespace hone
