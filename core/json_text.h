// JSON as text, written value by value: what DumpJson gives of the same tree, without the tree. Records are hashed,
// kept and sent by the million, and most of what a tree costs is making it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// One object. Appends to a text that must outlive it; a field's name is plain ASCII without '"' and '\'. Texts that are
// not UTF-8 get U+FFFD, and a number that is not finite throws Error(kBug), as DumpJson has it.
class JsonObjectText {
 public:
  explicit JsonObjectText(std::string& text) : text_(text) { text_ += '{'; }
  JsonObjectText(const JsonObjectText&) = delete;
  JsonObjectText& operator=(const JsonObjectText&) = delete;
  // Once, after the last field.
  void End() { text_ += '}'; }

  void Put(std::string_view name, std::string_view value);
  void Put(std::string_view name, const std::string& value) { Put(name, std::string_view(value)); }
  void Put(std::string_view name, const char* value) { Put(name, std::string_view(value)); }
  void Put(std::string_view name, int64_t value);
  void Put(std::string_view name, int value) { Put(name, int64_t{value}); }
  void Put(std::string_view name, bool value);
  void Put(std::string_view name, double value);
  void Put(std::string_view name, const std::vector<std::string>& values);
  void Put(std::string_view name, const std::vector<int64_t>& values);
  // An object whose fields `put` puts into it.
  template <typename PutAll>
  void PutObject(std::string_view name, const PutAll& put) {
    Name(name);
    JsonObjectText object(text_);
    put(object);
    object.End();
  }

 private:
  void Name(std::string_view name);

  std::string& text_;
  bool empty_ = true;
};

}  // namespace hone
