/** What the charts have in common, in the colours of the theme. */
export const AXIS = {
  tickLine: false,
  axisLine: false,
  tick: { fill: 'var(--muted)', fontSize: 12 },
}

export const GRID = { vertical: false, stroke: 'var(--line)' }

export const TOOLTIP = {
  cursor: { fill: 'var(--subtle)' },
  isAnimationActive: false,
  contentStyle: {
    background: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: 6,
    color: 'var(--ink)',
    fontSize: 13,
  },
  itemStyle: { color: 'var(--ink)' },
}
