// The loop of the nursery's process.
#pragma once

#include <sched.h>

#include <cstdint>

namespace hone {

// With the descriptors of the child's end of its notes, of its TaskMessage and of the task's regions. Of the first
// alone: the child is to be born and to end.
struct BirthRequest {
  int32_t parent = 0;  // the executor's number
  int64_t message_bytes = 0;
  bool moves = false;  // whether the child is to have `cores`, whatever the nursery has
  cpu_set_t cores = {};
};

// The first message of a child in place of a ChildNote; the nursery sends it when the system gives no process.
struct BirthNote {
  int32_t error = 0;
};

// Forks a child for `parent` at each request that comes at the socket, and ends when the other side is gone. Takes no
// memory, so that nothing of a request stays. Call it in a process that was just forked from one with a single thread.
[[noreturn]] void ServeNursery(int socket, int parent);

}  // namespace hone
