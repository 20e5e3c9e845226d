// No files and no network, by the kernel's Landlock.
#pragma once

namespace hone {

// Forbids the calling thread, and all that it starts, every file that it has not open, and where the kernel knows how
// to also TCP and other processes' abstract sockets. False when the system has no Landlock or this is a sanitizer's
// build. Needs PR_SET_NO_NEW_PRIVS.
bool ForbidFiles();

}  // namespace hone
