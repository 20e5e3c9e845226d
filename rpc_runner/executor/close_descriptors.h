// Descriptors that a process was born with and is to have no more.
#pragma once

namespace hone {

// Closes every descriptor from `first` on but `fd`. Leaves them open where the C library's headers know no such call.
void CloseAllBut(int fd, int first = 0);

}  // namespace hone
