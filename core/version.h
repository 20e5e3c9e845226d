// Versions that hone prints and stores.
#pragma once

namespace hone {

// "0.1.0", from the build.
const char* HoneVersion();

}  // namespace hone
