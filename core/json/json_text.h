// JSON text written value by value. It equals what DumpJson gives for the same tree, without building the tree.
// Records are hashed, stored and sent by the million, and building the tree is most of the cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// One object. Appends to a text that must outlive it. A field's name is plain ASCII without '"' and '\'. As in
// DumpJson, invalid UTF-8 becomes U+FFFD, and a number that is not finite throws Error(kBug).
class JsonObjectText {
 public:
  explicit JsonObjectText(std::string& text) : text_(text) { text_ += '{'; }
  JsonObjectText(const JsonObjectText&) = delete;
  JsonObjectText& operator=(const JsonObjectText&) = delete;
  // Called once, after the last field.
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
  // An object whose fields are put by `put`.
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
