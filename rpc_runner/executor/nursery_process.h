// The main loop of the nursery's process.
#pragma once

#include <sched.h>

#include <cstdint>

namespace hone {

// A request for a child. It comes with the descriptors of the child's end of its notes, of its TaskMessage and of the
// task's regions. With only the first, the child starts and exits at once.
struct BirthRequest {
  int32_t parent = 0;  // the executor's process number
  int64_t message_bytes = 0;
  bool moves = false;  // whether the child gets `cores`, whatever the nursery has
  cpu_set_t cores = {};
};

// Sent instead of a ChildNote as the child's first message; by the nursery itself if the system gives no process.
struct BirthNote {
  int32_t error = 0;
};

// Forks a child for `parent` at each request from the socket, and exits when the peer is gone. Allocates nothing, so
// that nothing of a request stays. Call it in a process that was just forked from a single-threaded one.
[[noreturn]] void ServeNursery(int socket, int parent);

}  // namespace hone
