const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const WHOLE = new Intl.NumberFormat('en-US')
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const MINUTE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** `1,234`. */
export function formatCount(count: number): string {
  return WHOLE.format(count)
}

/** `48 kB`, `1.2 MB`, `5 GB`: thousands of bytes, as plans count them. */
export function formatBytes(bytes: number): string {
  const unit = bytes >= 1e9 ? 'gigabyte' : bytes >= 1e6 ? 'megabyte' : 'kilobyte'
  const size = { gigabyte: 1e9, megabyte: 1e6, kilobyte: 1e3 }[unit]
  return new Intl.NumberFormat('en-US', { style: 'unit', unit, maximumFractionDigits: 1 }).format(bytes / size)
}

/** `412 ms`, `3.4 s`, `2 min 5 s`; a dash where there is none. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  const minutes = Math.floor(ms / MINUTE_MS)
  return `${minutes} min ${Math.round((ms - minutes * MINUTE_MS) / SECOND_MS)} s`
}

/** `in 23 h 59 min`’s figure: the two largest units that are left. Never below zero. */
export function formatRemaining(ms: number): string {
  const left = Math.max(0, Math.floor(ms / SECOND_MS))
  const parts: [number, string][] = [
    [Math.floor(left / 86_400), 'd'],
    [Math.floor((left % 86_400) / 3_600), 'h'],
    [Math.floor((left % 3_600) / 60), 'min'],
    [left % 60, 's'],
  ]
  const first = parts.findIndex(([amount]) => amount > 0)
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ')
}

/** `just now`, `5 min ago`, `3 h ago`, and a date from a week on. */
export function formatAgo(at: string, now: number): string {
  const ms = now - Date.parse(at)
  if (ms < 10 * SECOND_MS) return 'just now'
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s ago`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`
  if (ms < 7 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d ago`
  return DATE.format(new Date(at))
}

/** `5 min ago` within the hour, `27 Nov, 14:05` within half a year, else the date. */
export function formatWhen(at: string, now: number): string {
  const ms = now - Date.parse(at)
  if (ms < HOUR_MS) return formatAgo(at, now)
  return (ms < 180 * DAY_MS ? MINUTE : DATE).format(new Date(at))
}

/** To the second, in the reader’s own time zone. */
export function formatTime(at: string): string {
  return DATE_TIME.format(new Date(at))
}

/** `€1,249.50`, every digit of it; `1.5 ABCD` where there is no such currency. */
export function formatAmount({ value, currency }: { value: number; currency: string }): string {
  try {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency, maximumFractionDigits: 20 }).format(value)
  } catch {
    return `${value} ${currency}`
  }
}

/** `Online`: a word of the API at the beginning of a line. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')
}

/** `$0.0021`, `$12.40`: what tokens cost, to two digits that say something. */
export function formatCost(dollars: number): string {
  if (dollars >= 0.01 || dollars === 0) return `$${dollars.toFixed(2)}`
  return `$${dollars.toPrecision(2)}`
}

/** `$49`; prices come in the currency’s smallest unit. */
export function formatPrice(amount: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency, minimumFractionDigits: 0 }).format(amount / 100)
}
