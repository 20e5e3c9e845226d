// Files that decide who may do what: looked at before they are trusted, as ssh does.
#pragma once

#include <string>

namespace hone {

enum class Secrecy {
  kSecret,     // no other user may read or write it
  kProtected,  // no other user may write it
};

// Whether anything is at `path`. Throws Error(kNotAuthorised) where a folder on the way may not be entered.
bool KeyFileIsThere(const std::string& path);

// A whole file of at most 1 MiB. Throws Error: kNotAuthorised when it may not be read; kBadConfig when it is not there,
// is no regular file, belongs to somebody other than us or root, or has mode bits against `secrecy`. `what` names it in
// the message, as "the secret key".
std::string ReadKeyFile(const std::string& path, Secrecy secrecy, const std::string& what);

// Replaces the file or nothing of it, synced, with mode 0600 or 0644. Throws Error(kCannotCreate).
void WriteKeyFile(const std::string& path, const std::string& bytes, Secrecy secrecy);

// Makes a folder that only we may look into, with those above it. Throws Error(kCannotCreate).
void MakeKeyFolder(const std::string& path);

// Holds a lock on the file, which is made when it is not there, as long as it lives: for programs that change the files
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

}  // namespace hone
