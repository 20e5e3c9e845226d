// Draws each element .plot with Chart.js, as its attribute data-chart describes it (HtmlChart in lab/report/chart.cc).
'use strict';
const honeCharts = (() => {
const shapes = ['circle', 'rect', 'triangle', 'rectRot'];
const narrow = 520;  // pixels below which labels are wrapped early
const drawn = new Map();  // charts by their .plot

const css = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const numberText = value => String(Number(value.toPrecision(4)));
const isRound = value => [1, 2, 5].some(digit => Math.abs(value / 10 ** Math.floor(Math.log10(value) + 1e-9) - digit) < 1e-6);

function wrapped(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] = last ? last + ' ' + word : word;
  }
  return lines;
}

const second = 1e3, minute = 60e3, hour = 3600e3, day = 24 * hour;
function dateTicks(scale) {
  const steps = [second, 10 * second, minute, 5 * minute, 15 * minute, hour, 3 * hour, 12 * hour, day, 2 * day,
                 7 * day, 14 * day, 30 * day, 91 * day, 365 * day];
  const step = steps.find(s => (scale.max - scale.min) / s <= scale.width / 90) || 365 * day;
  scale.ticks = [];
  for (let at = Math.ceil(scale.min / step) * step; at <= scale.max; at += step) scale.ticks.push({value: at});
}
function dateText(value, span) {
  const text = new Date(value).toISOString();
  if (span < 10 * minute) return text.slice(11, 19);
  return span > 4 * day ? text.slice(0, 10) : text.slice(5, 16).replace('T', ' ');
}

function axisOf(axis, width) {
  const scale = {
    type: axis.log ? 'logarithmic' : 'linear', min: axis.least, max: axis.most, grace: '6%',
    title: {display: Boolean(axis.name), text: axis.name, color: css('soft')},
    ticks: {color: css('soft'), maxRotation: 0, includeBounds: false, autoSkipPadding: 14, callback: numberText},
    grid: {color: css('rule')}, border: {color: css('soft')}
  };
  if (axis.log) scale.ticks.callback = value => isRound(value) ? numberText(value) : '';
  if (axis.date) {
    scale.afterBuildTicks = dateTicks;
    scale.ticks.callback = function(value) { return dateText(value, this.max - this.min); };
  }
  if (axis.labels) {
    const labels = axis.labels.map(label => wrapped(label, width < narrow ? 16 : 40));
    Object.assign(scale, {min: -0.5, max: labels.length - 0.5, reverse: true, grace: 0});
    scale.afterBuildTicks = s => { s.ticks = labels.map((_, i) => ({value: i})); };
    scale.ticks = {...scale.ticks, color: css('ink'), autoSkip: false, callback: value => labels[value]};
    scale.grid = {display: false};
  }
  return scale;
}

function dataOf(series) {
  const colour = css(series.grey ? 'grey' : 's' + series.colour % 8);
  const dataset = {
    label: series.label, data: series.points, borderColor: colour, backgroundColor: colour, pointBorderColor: css('paper'),
    pointStyle: shapes[series.colour % 4], pointRadius: series.points.length > 40 ? 3 : 5, pointHoverRadius: 7, borderWidth: 2,
    showLine: series.style !== 'points', stepped: series.style === 'steps', hidden: false
  };
  if (series.style === 'bars') {
    // From 1, which says that nothing changed.
    const data = series.points.map(point => ({...point, x: [Math.min(1, point.x), Math.max(1, point.x)]}));
    Object.assign(dataset, {type: 'bar', data, grouped: false, barPercentage: 0.6, minBarLength: 2, borderWidth: 0});
  }
  if (series.style === 'dashed') dataset.borderDash = [5, 4];
  if (series.style === 'dashed' || series.style === 'line') Object.assign(dataset, {pointRadius: 0, pointHitRadius: 4});
  if (series.style === 'steps') dataset.pointRadius = series.points.length > 40 ? 0 : 3;
  return dataset;
}

// The intervals of points, as lines with caps. One that goes beyond the chart ends in an arrow at its edge.
const intervals = {
  id: 'intervals',
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea: area} = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = css('ink');
    ctx.lineWidth = 1.5;
    chart.data.datasets.forEach((dataset, i) => {
      if (!chart.isDatasetVisible(i)) return;
      chart.getDatasetMeta(i).data.forEach((mark, at) => {
        const point = dataset.data[at];
        if (point.low === undefined) return;
        const upright = chart.honeUpright, scale = upright ? chart.scales.y : chart.scales.x;
        const [least, most] = upright ? [area.top, area.bottom] : [area.left, area.right];
        const ends = [point.low, point.high].map(v => scale.getPixelForValue(v));
        const [from, to] = ends.map(v => Math.min(Math.max(v, least), most));
        const line = (x1, y1, x2, y2) => { ctx.beginPath(); ctx.moveTo(x1, y1); ctx.lineTo(x2, y2); ctx.stroke(); };
        if (upright) line(mark.x, from, mark.x, to); else line(from, mark.y, to, mark.y);
        [from, to].forEach((v, k) => {
          const [x, y] = upright ? [mark.x, v] : [v, mark.y];
          if (v === ends[k]) return upright ? line(x - 4, y, x + 4, y) : line(x, y - 4, x, y + 4);
          const back = v === most ? -7 : 7;
          ctx.beginPath();
          ctx.moveTo(x, y);
          ctx.lineTo(upright ? x - 4 : x + back, upright ? y + back : y - 4);
          ctx.lineTo(upright ? x + 4 : x + back, upright ? y + back : y + 4);
          ctx.fill();
        });
      });
    });
    ctx.restore();
  }
};

function settingsOf(plot) {
  const chart = JSON.parse(plot.dataset.chart), width = plot.clientWidth;
  Chart.defaults.font = {...Chart.defaults.font, family: getComputedStyle(document.body).fontFamily, size: 12};
  const tooltip = {
    displayColors: false, callbacks: {title: () => '', label: item => wrapped(item.raw.title || item.dataset.label, width < narrow ? 34 : 60)}
  };
  return {
    type: 'scatter', data: {datasets: chart.series.map(dataOf)}, plugins: [intervals],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, indexAxis: chart.y.labels ? 'y' : 'x',
      layout: {padding: {right: 12}}, interaction: {mode: 'nearest', intersect: false, axis: 'xy'},
      plugins: {legend: {display: false}, tooltip},
      scales: {x: axisOf(chart.x, width), y: axisOf(chart.y, width)}
    }
  };
}

function buttonsOf(plot) { return [...plot.parentElement.querySelectorAll('.legend button')]; }

function draw(plot) {
  const before = drawn.get(plot), settings = settingsOf(plot);
  buttonsOf(plot).forEach((button, i) => { settings.data.datasets[i].hidden = button.getAttribute('aria-pressed') === 'false'; });
  const rows = JSON.parse(plot.dataset.chart).y.labels;
  if (rows) plot.style.height = `${70 + rows.length * (plot.clientWidth < narrow ? 52 : 38)}px`;
  if (before) {
    Object.assign(before, {data: settings.data, options: settings.options});
    before.update('none');
    return;
  }
  const canvas = document.createElement('canvas');
  plot.append(canvas);
  const chart = new Chart(canvas, {type: settings.type, data: {datasets: []}, plugins: settings.plugins, options: settings.options});
  chart.honeUpright = !rows;
  drawn.set(plot, chart);
  chart.data = settings.data;
  chart.update('none');
}

function drawAll(root) {
  for (const [plot, chart] of drawn) {
    if (plot.isConnected) continue;
    chart.destroy();
    drawn.delete(plot);
  }
  root.querySelectorAll('.plot').forEach(draw);
}

// A button of a legend hides and shows its series.
document.addEventListener('click', event => {
  const button = event.target.closest('.legend button');
  if (!button) return;
  button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') === 'false'));
  draw(button.closest('figure').querySelector('.plot'));
});
const again = () => drawAll(document);
const resized = () => { again(); drawn.forEach(chart => chart.resize()); };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
matchMedia('print').addEventListener('change', resized);
// Labels are wrapped by the window's width.
let resizing = 0;
addEventListener('resize', () => { cancelAnimationFrame(resizing); resizing = requestAnimationFrame(again); });
for (const name of ['beforeprint', 'afterprint']) addEventListener(name, resized);
// A chart in a fold has a size when the fold opens.
document.addEventListener('toggle', event => { if (event.target.open) drawAll(event.target); }, true);

return {draw: drawAll};
})();
honeCharts.draw(document);
