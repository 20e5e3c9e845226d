// Text tables for people.
#pragma once

#include <string>
#include <vector>

namespace hone {

// Columns are as wide as their widest cell, two spaces apart; a header of leading '>' is aligned to the right (">
// time").
class Table {
 public:
  explicit Table(std::vector<std::string> headers);
  // Missing cells are empty; more cells than headers are our bug. Cells are made printable, those of over 1,000 bytes
  // shortened.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Every line ends with a newline and has no trailing spaces.
  std::string ToText() const;

 private:
  std::vector<std::string> headers_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hone
