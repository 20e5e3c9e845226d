// No file of the machine's, by a root of one's own.
#pragma once

namespace hone {

// Enters a mount namespace in which there is nothing but an empty folder that nobody can write. What is open stays
// open, and what is mapped mapped. False when the system does not allow it: then every file is where it was. Needs the
// right to mount: root's, or that of whoever has entered a user namespace. Call it while the process has one thread.
bool EnterEmptyRoot();

}  // namespace hone
