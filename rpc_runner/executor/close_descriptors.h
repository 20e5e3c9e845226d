// Descriptors that a process was born with and is to have no more.
#pragma once

namespace hone {

// Closes every descriptor from `first` on but `fd`; before Linux 5.9 those below 4,096.
void CloseAllBut(int fd, int first = 0);

}  // namespace hone
