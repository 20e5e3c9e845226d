// The rows of a SQLite file by its pages alone, for files whose trees lead nowhere any more.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

// Calls `row` with the text columns of every row of a table that can still be put together, in the order of the pages.
// Rows of tables of any kind come, rows that were removed too, and what is damaged may come as nonsense: whoever asks
// knows what is right by its content. Reads the format of SQLite's "Database File Format", sections 1.6 and 2.1,
// without SQLite. Where the header does not tell the page size it is taken to be 4096. Throws Error(kNoInput).
void ForEachLeafRow(const std::string& path, const std::function<void(const std::vector<std::string>& texts)>& row);

}  // namespace hone
