#include "rpc_runner/tracker/outbox.h"

#include <utility>

namespace hone {

bool Outbox::HasRoom(const std::string& peer, size_t bytes) const {
  const auto queue = waiting_.find(peer);
  const bool first = queue == waiting_.end();
  if (bytes_ > 0 && bytes_ + bytes > limits_.all_bytes) return false;
  return first || (queue->second.frames.size() < limits_.frames && queue->second.bytes + bytes <= limits_.bytes);
}

bool Outbox::Send(const std::string& peer, std::string& bytes) {
  if (waiting_.count(peer) == 0) {
    const Socket::Sent sent = send_now_(peer, bytes);
    if (sent == Socket::Sent::kYes) return true;
    dropped_ += sent == Socket::Sent::kUnreachable;
    if (sent == Socket::Sent::kUnreachable) return false;
  }
  if (!HasRoom(peer, bytes.size())) {
    ++dropped_;
    return false;
  }
  Queue& queue = waiting_[peer];
  queue.bytes += bytes.size();
  bytes_ += bytes.size();
  queue.frames.push_back(std::move(bytes));
  return true;
}

void Outbox::Flush() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    Queue& queue = it->second;
    Socket::Sent sent = Socket::Sent::kYes;
    while (!queue.frames.empty() && sent != Socket::Sent::kFull) {
      const size_t size = queue.frames.front().size();
      sent = send_now_(it->first, queue.frames.front());
      if (sent == Socket::Sent::kFull) break;
      dropped_ += sent == Socket::Sent::kUnreachable;
      queue.frames.pop_front();
      queue.bytes -= size;
      bytes_ -= size;
    }
    it = queue.frames.empty() ? waiting_.erase(it) : std::next(it);
  }
}

}  // namespace hone
