import type { Filling } from './filling.ts'
import { type FoundNumber, findNumbers } from './find-numbers.ts'
import type { Field } from './schema-fields.ts'

/** The highest or lowest that is wanted: `under 50 euros`. A bare sum of money is what somebody can spend at most. */
export function findLimit(filling: Filling, field: Field, bound: 'max' | 'min'): number | undefined {
  return (
    take(filling, field, (number) => number.bound === bound) ??
    (bound === 'max' ? take(filling, field, (number) => number.isMoney && number.bound === null) : undefined)
  )
}

export function findPageSize(filling: Filling, field: Field): number | undefined {
  return take(filling, field, (number) => number.isPageSize)
}

/** How many: of the field's own unit where the words name it; one where it must be given and they do not. */
export function findCount(filling: Filling, field: Field): number | undefined {
  const isPlain = (number: FoundNumber) => !number.isMoney && number.bound === null && !number.isLabelled
  return (
    take(filling, field, (number) => isPlain(number) && field.stems.includes(number.unit)) ??
    take(filling, field, (number) => isPlain(number) && Number.isInteger(number.value)) ??
    (field.required && field.minimum <= 1 ? 1 : undefined)
  )
}

export function findMoney(filling: Filling, field: Field): number | undefined {
  return (
    take(filling, field, (number) => number.isMoney) ??
    (field.required ? take(filling, field, (number) => !number.isLabelled) : undefined)
  )
}

export function findNumber(filling: Filling, field: Field): number | undefined {
  return (
    take(filling, field, (number) => field.stems.includes(number.unit) || labelledBy(filling, field, number)) ??
    (field.required ? take(filling, field, (number) => !number.isMoney) : undefined)
  )
}

function labelledBy(filling: Filling, field: Field, number: FoundNumber): boolean {
  const before = filling.utterance.tokens[Math.min(...number.places) - 1]
  return before !== undefined && field.stems.includes(before.stem)
}

function take(filling: Filling, field: Field, wanted: (number: FoundNumber) => boolean): number | undefined {
  for (const number of findNumbers(filling.utterance.tokens)) {
    if (number.places.some((place) => filling.used.has(place)) || !wanted(number)) continue
    const value = inUnitOf(field, number)
    if (value < field.minimum || value > field.maximum) continue
    for (const place of number.places) filling.used.add(place)
    return value
  }
  return undefined
}

// People say euros; a field may count in cents.
function inUnitOf(field: Field, number: FoundNumber): number {
  const inCents =
    field.stems.some((stem) => /^(cent|minor|penc)$/.test(stem)) ||
    /\bin (cents|pence|minor units)\b/i.test(field.description)
  const value = inCents ? number.value * 100 : number.value
  return field.type === 'integer' ? Math.round(value) : value
}
