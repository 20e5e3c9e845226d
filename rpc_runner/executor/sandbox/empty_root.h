// Hides all files of the machine behind an empty root.
#pragma once

namespace hone {

// Enters a mount namespace that holds only an empty, read-only folder. Open files stay open, and mapped files stay
// mapped. Returns false, with all files still visible, if the system does not allow it. Needs the right to mount: root,
// or having entered a user namespace. Call it while the process has one thread.
bool EnterEmptyRoot();

}  // namespace hone
