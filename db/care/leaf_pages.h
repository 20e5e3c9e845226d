// Reads the rows of a SQLite file from its pages, for files whose trees are broken.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

// Calls `row` with the text columns of every table row that can still be assembled, in the order of the pages. Rows of
// all tables come, removed rows too, and damaged ones may be nonsense: the caller must check the content. Implements
// SQLite's "Database File Format", sections 1.6 and 2.1, without SQLite. If the header does not tell the page size,
// 4096 is assumed. Throws Error(kNoInput).
void ForEachLeafRow(const std::string& path, const std::function<void(const std::vector<std::string>& texts)>& row);

}  // namespace hone
