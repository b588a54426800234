/** Values over time, one for each label. Null: there is none. */
export interface Series {
  name: string
  values: readonly (number | null)[]
}

/** `12 k`: as short as an axis wants it. */
export function formatTick(value: number): string {
  return COMPACT.format(value)
}

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** What a chart shows, for those who do not see it: the table behind it has the rest. */
export function describeSeries(label: string, labels: readonly string[], series: readonly Series[]): string {
  const sums = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null)
    const most = known.length === 0 ? 'none' : formatTick(Math.max(...known))
    return `${name}: at most ${most}`
  })
  return `${label}, ${labels[0] ?? ''} to ${labels.at(-1) ?? ''}. ${sums.join(', ')}.`
}
