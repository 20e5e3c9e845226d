// Closes descriptors that a process inherited and should not have.
#pragma once

namespace hone {

// Closes every descriptor from `first` on except `fd`. Before Linux 5.9, only those below 4,096.
void CloseAllBut(int fd, int first = 0);

}  // namespace hone
