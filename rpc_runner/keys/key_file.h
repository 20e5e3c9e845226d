// Files that grant rights, among them identities: a file with a secret key, and the public key beside it. Owner and
// mode are checked before they are trusted, as ssh does.
#pragma once

#include <string>

#include "rpc_runner/wire/security.h"

namespace hone {

enum class Secrecy {
  kSecret,     // no other user may read or write it
  kProtected,  // no other user may write it
};

// Whether anything exists at `path`. Throws Error(kNotAuthorised) if a folder on the way may not be entered.
bool KeyFileIsThere(const std::string& path);

// Reads a whole file. `what` names it in messages, as "the secret key". Throws Error(kNotAuthorised) if the file may
// not be read. Throws Error(kBadConfig) if one of these holds:
// - The file does not exist, is not a regular file or is longer than 1 MiB.
// - It belongs to another user than this one or root.
// - Its mode has bits against `secrecy`.
std::string ReadKeyFile(const std::string& path, Secrecy secrecy, const std::string& what);

// Replaces the file atomically, synced, with mode 0600 or 0644. Throws Error(kCannotCreate).
void WriteKeyFile(const std::string& path, const std::string& bytes, Secrecy secrecy);

// Makes a folder that only this user may look into, and the folders above it. Throws Error(kCannotCreate).
void MakeKeyFolder(const std::string& path);

// Holds a lock on the file while it lives, and makes the file if there is none. For programs that change the files
// beside it. Throws Error(kCannotCreate).
class KeyFileLock {
 public:
  explicit KeyFileLock(const std::string& path);
  ~KeyFileLock();
  KeyFileLock(const KeyFileLock&) = delete;
  KeyFileLock& operator=(const KeyFileLock&) = delete;

 private:
  int fd_;
};

// Reads an identity: a file with one line, which is the secret key. Lines that begin with "# " are ignored. Throws
// Error(kBadConfig) if there is no file, others may read it, or it has no complete key.
KeyPair ReadIdentity(const std::string& path);

// Writes an identity: `path`, with mode 0600, and `path`.pub, whose line is the public key and `comment`. Makes the
// folder. Throws Error(kCannotCreate), also if `path` exists.
void WriteIdentity(const std::string& path, const KeyPair& keys, const std::string& comment);

// Reads the identity, after writing a new one if there is none.
KeyPair ReadOrMakeIdentity(const std::string& path, const std::string& comment);

// The public key at the beginning of a text: the text itself, or the first word of a .pub file's line. Throws
// Error(kBadConfig).
std::string ReadPublicKey(const std::string& text_or_path);

}  // namespace hone
