import type { Token } from './words.ts'

export interface FoundText {
  value: string
  places: readonly number[]
}

const DAY_MS = 24 * 60 * 60 * 1000
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** Days named in a text, as ISO dates: written out, or counted from the given moment (UTC). */
export function findDates(tokens: readonly Token[], nowMs: number): FoundText[] {
  return tokens.flatMap(
    (_, index) => isoDate(tokens, index) ?? relativeDay(tokens, index, nowMs) ?? monthDay(tokens, index, nowMs) ?? [],
  )
}

function isoDate(tokens: readonly Token[], index: number): FoundText | null {
  const token = tokens[index]
  const iso = /^(\d{4}-\d{2}-\d{2})(t|$)/.exec(token?.lower ?? '')?.[1]
  return iso === undefined || Number.isNaN(Date.parse(iso)) ? null : { value: iso, places: [index] }
}

function relativeDay(tokens: readonly Token[], index: number, nowMs: number): FoundText | null {
  const word = tokens[index]?.lower ?? ''
  const days = word === 'today' || word === 'tonight' ? 0 : word === 'tomorrow' ? 1 : daysToWeekday(word, nowMs)
  if (days === null) return null
  const isLater = tokens[index - 1]?.lower === 'after' && word === 'tomorrow'
  const before = /^(next|this|on|coming)$/.test(tokens[index - 1]?.lower ?? '') ? [index - 1] : []
  return { value: isoDay(nowMs + (days + (isLater ? 1 : 0)) * DAY_MS), places: [...before, index] }
}

// The next such day after today: on a Monday, “Monday” is a week away.
function daysToWeekday(word: string, nowMs: number): number | null {
  const weekday = WEEKDAYS.indexOf(word)
  if (weekday < 0) return null
  return ((weekday - new Date(nowMs).getUTCDay() + 6) % 7) + 1
}

function monthDay(tokens: readonly Token[], index: number, nowMs: number): FoundText | null {
  const word = tokens[index]?.lower ?? ''
  const month = word.length < 3 ? -1 : MONTHS.findIndex((name) => name === word || name.slice(0, 3) === word)
  if (month < 0) return null
  const before =
    dayOfMonth(tokens[index - 1]) ?? (tokens[index - 1]?.lower === 'of' ? dayOfMonth(tokens[index - 2]) : null)
  const after = dayOfMonth(tokens[index + 1])
  const day = before ?? after
  if (day === null) return null
  const places = before === null ? [index, index + 1] : [index - 1, index]
  const year = Number(/^\d{4}$/.exec(tokens[Math.max(...places) + 1]?.lower ?? '')?.[0] ?? Number.NaN)
  if (!Number.isNaN(year))
    return { value: isoDay(Date.UTC(year, month, day)), places: [...places, Math.max(...places) + 1] }
  return { value: nextSuchDay({ month, day }, nowMs), places }
}

function dayOfMonth(token: Token | undefined): number | null {
  const digits = /^(\d{1,2})(st|nd|rd|th)?$/.exec(token?.lower ?? '')?.[1]
  const day = Number(digits ?? 0)
  return day >= 1 && day <= 31 ? day : null
}

function nextSuchDay({ month, day }: { month: number; day: number }, nowMs: number): string {
  const year = new Date(nowMs).getUTCFullYear()
  const thisYear = isoDay(Date.UTC(year, month, day))
  return thisYear >= isoDay(nowMs) ? thisYear : isoDay(Date.UTC(year + 1, month, day))
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Times of day in a text, as `15:30`. */
export function findTimes(tokens: readonly Token[]): FoundText[] {
  return tokens.flatMap((_, index) => timeAt(tokens, index) ?? [])
}

function timeAt(tokens: readonly Token[], index: number): FoundText | null {
  const match = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/.exec(tokens[index]?.lower ?? '')
  if (match === null) return namedTime(tokens, index)
  const [, hours = '', minutes, half] = match
  const next = /^(am|pm|o'clock|oclock)$/.exec(tokens[index + 1]?.lower ?? '')?.[0]
  const previous = tokens[index - 1]?.lower
  if (half === undefined && next === undefined && minutes === undefined && previous !== 'at') return null
  const hour = hourOf(Number(hours), half ?? next)
  if (hour === null || Number(minutes ?? 0) > 59) return null
  const places = [...(previous === 'at' ? [index - 1] : []), index, ...(next === undefined ? [] : [index + 1])]
  return { value: `${String(hour).padStart(2, '0')}:${minutes ?? '00'}`, places }
}

function namedTime(tokens: readonly Token[], index: number): FoundText | null {
  const word = tokens[index]?.lower
  if (word === 'noon' || word === 'midday') return { value: '12:00', places: [index] }
  return word === 'midnight' ? { value: '00:00', places: [index] } : null
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === 'pm') return hour >= 1 && hour <= 12 ? (hour % 12) + 12 : null
  if (half === 'am') return hour >= 1 && hour <= 12 ? hour % 12 : null
  return hour <= 23 ? hour : null
}
