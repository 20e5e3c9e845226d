// Checks of a page that a browser shows. Each returns its findings, one line each; none: an empty text.
#pragma once

#include <string>

#include "tests/support/browser_page.h"

namespace hone {

// Waits until all charts that can be seen are drawn in the window's width; returns whether they are.
bool IsDrawn(BrowserPage& page);

// Elements that are cut off or overlap, by the boxes that the browser laid out:
// - text outside the window or its box, and texts over each other
// - a page that scrolls sideways
// - scrolling parts without a sign or without the keyboard
// - ticks of charts that are cut or touch
std::string BoxFindings(BrowserPage& page);

// Violations that axe-core finds (npm, package.json beside this file), with its best practices.
std::string AxeFindings(BrowserPage& page);

// A difference of the screenshot from the kept one of this name, in a larger share of its pixels than `most_different`.
// Where HONE_KEEP_SCREENSHOTS is set it is kept instead.
std::string ScreenshotFindings(BrowserPage& page, const std::string& name, int width, const std::string& folder,
                               double most_different);

}  // namespace hone
