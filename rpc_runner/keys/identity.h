// A file with a secret key, and the public key beside it.
#pragma once

#include <string>

#include "rpc_runner/wire/security.h"

namespace hone {

// The file has one line with the secret key; lines that begin with "# " are ignored. Throws Error(kBadConfig) if there
// is no file, others may read it, or it has no complete key.
KeyPair ReadIdentity(const std::string& path);

// Writes `path`, with mode 0600, and `path`.pub, whose line is the public key and `comment`. Makes the folder. Throws
// Error(kCannotCreate), also if `path` exists.
void WriteIdentity(const std::string& path, const KeyPair& keys, const std::string& comment);

// Reads the identity, after writing a new one if there is none.
KeyPair ReadOrMakeIdentity(const std::string& path, const std::string& comment);

// The public key at the beginning of a text: the text itself, or the first word of a .pub file's line. Throws
// Error(kBadConfig).
std::string ReadPublicKey(const std::string& text_or_path);

}  // namespace hone
