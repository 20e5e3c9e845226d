// A file with a secret key, and the public one beside it.
#pragma once

#include <string>

#include "rpc_runner/wire/security.h"

namespace hone {

// The file has one line with the secret key; lines that begin with "# " are passed over. Throws Error(kBadConfig) when
// it is not there, others may read it, or it holds no whole key.
KeyPair ReadIdentity(const std::string& path);

// Writes `path`, with mode 0600, and `path`.pub, whose line is the public key and `comment`. Makes the folder. Throws
// Error(kCannotCreate), also when `path` is there already.
void WriteIdentity(const std::string& path, const KeyPair& keys, const std::string& comment);

// ReadIdentity, after a new one was written where none was.
KeyPair ReadOrMakeIdentity(const std::string& path, const std::string& comment);

// The public key that a text begins with: the text itself, or the first word of a .pub file's line. Throws
// Error(kBadConfig).
std::string ReadPublicKey(const std::string& text_or_path);

}  // namespace hone
