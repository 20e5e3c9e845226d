#include "tests/cli/pages/page_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lab/files/image.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

constexpr const char* kAxe = HONE_SOURCE_DIR "/build/browser/node_modules/axe-core/axe.min.js";
constexpr const char* kKept = HONE_SOURCE_DIR "/tests/cli/pages/screenshots/";

constexpr const char* kBoxes = R"((() => {
  const found = [], say = (what, e) => found.push(what + ': ' + (e.tagName || '') + ' ' + (e.textContent || '').trim().slice(0, 60));
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  // Boxes of each text, within what its scrolling parents show.
  const texts = [];
  for (const e of document.body.querySelectorAll('*')) {
    if (!e.checkVisibility() || e.closest('script,style,noscript,option')) continue;
    const style = getComputedStyle(e);
    if (style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.matches('input,canvas')) {
      const scrolls = ['auto', 'scroll'].includes(style.overflowX);
      if (!scrolls) say('cut off', e);
      else if (e.tabIndex !== 0 || style.backgroundImage === 'none') say('scrolls without a sign or without the keyboard', e);
    }
    const shown = {left: 0, right: root.clientWidth};
    for (let p = e; p; p = p.parentElement) {
      if (getComputedStyle(p).overflowX === 'visible') continue;
      const box = p.getBoundingClientRect();
      shown.left = Math.max(shown.left, box.left);
      shown.right = Math.min(shown.right, box.right);
      shown.scrolls = true;
    }
    for (const node of e.childNodes) {
      if (node.nodeType !== 3 || !node.textContent.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        if (!shown.scrolls && (box.left < -0.5 || box.right > root.clientWidth + 0.5)) say('outside the window', e);
        const left = Math.max(box.left, shown.left), right = Math.min(box.right, shown.right);
        if (right - left > 1 && box.height > 1) texts.push({e, left, right, top: box.top, bottom: box.bottom});
      }
    }
  }
  texts.sort((a, b) => a.top - b.top);
  for (let i = 0; i < texts.length; ++i) {
    for (let k = i + 1; k < texts.length && texts[k].top < texts[i].bottom - 3; ++k) {
      const a = texts[i], b = texts[k];
      if (a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e)) continue;
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2) say('over ' + b.e.textContent.trim().slice(0, 40), a.e);
    }
  }
  // Marks of controls and charts over texts.
  for (const canvas of document.querySelectorAll('.plot canvas')) {
    if (!canvas.checkVisibility()) continue;
    const chart = Chart.getChart(canvas), area = chart.chartArea, name = canvas.parentElement.getAttribute('aria-label');
    if (area.width < 0.4 * chart.width || area.height < 60) found.push(`${name}: ${area.width} x ${area.height} of ${chart.width} x ${chart.height} are left`);
    for (const scale of Object.values(chart.scales)) {
      const across = scale.isHorizontal();
      let end = -1e9;
      for (const item of scale.getLabelItems(area)) {
        const lines = [item.label].flat(), [x, y] = item.options.translation;
        if (!lines.join('')) continue;
        chart.ctx.font = item.font.string;
        const width = Math.max(...lines.map(line => chart.ctx.measureText(line).width)), height = 14 * lines.length;
        const left = across ? x - width / 2 : x - width, right = left + width, top = across ? y : y - height / 2;
        if (left < -1 || right > chart.width + 1) found.push(`${name}: the tick ${lines} is cut off`);
        const [from, to] = across ? [left, right] : [-top - height, -top];
        const begins = across ? from : -to, ends = across ? to : -from;
        if (across && begins < end + 2) found.push(`${name}: the tick ${lines} touches another`);
        end = ends;
      }
    }
  }
  return [...new Set(found)].join('\n');
})())";

// Whether all charts that can be seen are drawn in the window's width, and the next frame has come.
constexpr const char* kDrawn =
    "(window.frames_seen = (window.frames_seen || 0) + 1, requestAnimationFrame(() => { window.frame = frames_seen; "
    "}), "
    "window.frame > 1 && [...document.querySelectorAll('.plot')].every(p => !p.checkVisibility() || "
    "(p.firstChild && p.firstChild.clientWidth === p.clientWidth)))";

// The share of pixels that differ clearly. Fonts are drawn a little otherwise on other machines, and dates differ.
double DifferentShare(const Image& a, const Image& b) {
  constexpr int kClearly = 60;
  int64_t different = 0;
  for (int64_t pixel = 0; pixel < a.height * a.width; ++pixel) {
    int most = 0;
    for (int64_t channel = 0; channel < Image::kChannels; ++channel) {
      const size_t at = static_cast<size_t>(pixel * Image::kChannels + channel);
      most = std::max(most, std::abs(int{a.rgb[at]} - int{b.rgb[at]}));
    }
    different += most > kClearly;
  }
  return static_cast<double>(different) / static_cast<double>(std::max<int64_t>(1, a.height * a.width));
}

}  // namespace

bool IsDrawn(BrowserPage& page) {
  page.Run("window.frames_seen = window.frame = 0");
  return page.Await(kDrawn);
}

std::string BoxFindings(BrowserPage& page) { return page.Text(kBoxes); }

std::string AxeFindings(BrowserPage& page) {
  if (!std::filesystem::exists(kAxe)) return fmt::format("there is no {}; scripts/test.sh fetches it", kAxe);
  if (page.Text("typeof axe") != "object") page.Run(ReadFile(kAxe));
  page.Run(
      "window.findings = undefined; axe.run(document, {resultTypes: ['violations']}).then(r => { window.findings = "
      "r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(' "
      "'))"
      ".join('\\n'); }, e => { window.findings = String(e); })");
  if (!page.Await("window.findings !== undefined")) return "axe-core does not end";
  return page.Text("window.findings");
}

std::string ScreenshotFindings(BrowserPage& page, const std::string& name, int width, const std::string& folder,
                               double most_different) {
  constexpr double kScale = 0.2;
  const std::string kept = kKept + name + ".png", made = folder + "/" + name + ".png";
  const int height = width < 600 ? 1600 : 1200;
  page.Resize(width, height);
  if (!IsDrawn(page)) return name + ": the charts are not drawn";
  const std::string png = page.Screenshot(width, height, kScale);
  std::ofstream(std::getenv("HONE_KEEP_SCREENSHOTS") == nullptr ? made : kept, std::ios::binary) << png;
  if (std::getenv("HONE_KEEP_SCREENSHOTS") != nullptr) return "";
  const Image before = ReadImage(kept), after = ReadImage(made);
  if (before.width != after.width || before.height != after.height) {
    return fmt::format("{} is {} x {}, kept is {} x {}", name, after.width, after.height, before.width, before.height);
  }
  const double share = DifferentShare(before, after);
  return share <= most_different ? "" : fmt::format("{:.1f} % of {} differ from {}", 100 * share, made, kept);
}

}  // namespace hone
