// Follows the server's events. A section in which a reader has selected text is updated when the selection ends. Folds,
// scroll positions, focus, hidden series and charts survive updates.
'use strict';
(() => {
const live = document.getElementById('live'), link = document.getElementById('link');
const button = document.getElementById('pause'), filter = document.getElementById('filter'), waiting = new Map();
let order = null, paused = false, source = null;
function say(text) { if (link.textContent !== text) link.textContent = text; }
function marked(section) {
  const marks = getSelection();
  return marks && !marks.isCollapsed && section.contains(marks.anchorNode);
}
// Figures are kept with their charts, which then draw the new values.
function keepFigures(section, figures) {
  section.querySelectorAll('figure').forEach((fresh, i) => {
    const old = figures[i], plot = fresh.querySelector('.plot'), before = old && old.querySelector('.plot');
    if (!plot || !before) return;
    before.dataset.chart = plot.dataset.chart;
    before.setAttribute('aria-label', plot.getAttribute('aria-label'));
    const legend = old.querySelector('.legend'), fresher = fresh.querySelector('.legend');
    if (legend && fresher && legend.textContent !== fresher.textContent) legend.replaceWith(fresher);
    if (!legend !== !fresher) return;
    old.querySelector('figcaption').textContent = fresh.querySelector('figcaption').textContent;
    fresh.replaceWith(old);
  });
}
function show(section, html) {
  const open = [...section.querySelectorAll('details')].map(d => d.open), figures = [...section.querySelectorAll('figure')];
  const left = [...section.querySelectorAll('.wide')].map(w => w.scrollLeft);
  const stops = 'summary,.wide,a,.legend button', at = [...section.querySelectorAll(stops)].indexOf(document.activeElement);
  section.innerHTML = html;
  keepFigures(section, figures);
  section.querySelectorAll('details').forEach((d, i) => { d.open = !!open[i]; });
  section.querySelectorAll('.wide').forEach((w, i) => { w.scrollLeft = left[i] || 0; });
  const next = section.querySelectorAll(stops)[at];
  if (next) next.focus({preventScroll: true});
  honeCharts.draw(section);
}
// Hides the tunings without the words of the filter, in the index and below it.
function choose() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  document.querySelectorAll('#overview tbody tr').forEach(row => {
    const to = row.querySelector('a').getAttribute('href').slice(1), section = document.getElementById(to);
    const text = (row.textContent + ' ' + to).toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    for (const part of [section, document.getElementById('trials-' + to)]) if (part) part.hidden = row.hidden;
  });
}
function settle() {
  if (paused || !order) return;
  const wanted = new Set(order);
  [...live.children].forEach(s => { if (!wanted.has(s.id)) s.remove(); });
  let place = live.firstElementChild;
  for (const id of order) {
    let section = document.getElementById(id);
    if (!section) { section = document.createElement('section'); section.id = id; }
    if (section === place) place = place.nextElementSibling; else live.insertBefore(section, place);
    if (!waiting.has(id) || marked(section)) continue;
    show(section, waiting.get(id));
    waiting.delete(id);
  }
  choose();
}
function follow() {
  source = new EventSource('events');
  source.addEventListener('open', () => say('live'));
  source.addEventListener('sections', event => {
    const news = JSON.parse(event.data);
    order = news.order;
    for (const id of Object.keys(news.html)) waiting.set(id, news.html[id]);
    for (const id of [...waiting.keys()]) if (!order.includes(id)) waiting.delete(id);
    settle();
  });
  source.addEventListener('error', () => {
    say('not connected, trying again');
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
}
document.querySelector('.tools').hidden = false;
button.addEventListener('click', () => {
  paused = !paused;
  button.setAttribute('aria-pressed', String(paused));
  settle();
});
filter.addEventListener('input', choose);
document.addEventListener('selectionchange', settle);
follow();
})();
