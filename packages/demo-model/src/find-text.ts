import type { Filling, Found } from './fill-input.ts'
import { isContent, isInName, type Question } from './read-question.ts'
import type { Field, Kind } from './schema-fields.ts'
import { ACTIONS_BY_STEM, sameAs } from './vocabulary.ts'

/** Words that lead to a value of a kind of free text: `with Dr. Weber`, `to Norway`. */
const LEADS: Readonly<Partial<Record<Kind, RegExp>>> = {
  query: /^$/,
  name: /^$/,
  prose: /^(because|saying|called|titled|named|about|regarding)$/,
  person: /^(with|for|to|by|from|of)$/,
  place: /^(in|near|at|to|from|around|for)$/,
}

/** Words for a field of free text: what stands in quotes, else what is left of the question. */
export function findText(filling: Filling, { kind, isRequired }: Field): Found | undefined {
  const lead = LEADS[kind]
  const { question } = filling
  if (lead === undefined) return undefined
  const given = quoted(filling)
  if (given !== undefined) return given
  const runs = freeRuns(filling, kind === 'query')
  const joined = (places: number[]) => places.map((place) => question.words[place]?.text).join(' ')
  if (kind === 'query') return runs[0] && { value: joined(runs.flat()), places: runs.flat(), isSure: false }
  const led = runs.find(([place = 0]) => isLed(question, place, lead))
  if (kind === 'person' || kind === 'place') return found(question, led ?? [], true)
  if (kind === 'prose') return found(question, led ?? (isRequired ? runs.flat() : []))
  if (!isRequired) return undefined
  // A name in capitals is likelier to be meant than a longer run of plain words.
  const weight = (run: readonly number[]) => run.length + 2 * run.filter((place) => isCapital(question, place)).length
  return found(question, runs.toSorted((a, b) => weight(b) - weight(a))[0] ?? [])
}

// Behind a lead or a lead and “the”, or alone on its line, as the answer to what the model asked for.
function isLed({ text, words }: Question, place: number, lead: RegExp): boolean {
  const before = words[place - 1]?.lower === 'the' ? place - 2 : place - 1
  const isReply = place > 0 && text.slice(words[place - 1]?.end, words[place]?.start).includes('\n')
  return isReply || lead.test(words[before]?.lower ?? '-')
}

const QUOTED = /["“”«»]([^"“”«»]{1,500})["“”«»]/

function quoted({ question, used }: Filling): Found | undefined {
  const match = QUOTED.exec(question.text)
  const [start, value] = [match?.index ?? 0, match?.[1] ?? '']
  const places = placesIn(question, start, start + (match?.[0].length ?? 0))
  return value.trim() === '' || places.some((place) => used.has(place)) ? undefined : { value, places, isSure: false }
}

const placesIn = ({ words }: Question, start: number, end: number): number[] =>
  words.flatMap((word, place) => (word.start >= start && word.end <= end ? [place] : []))

function found(question: Question, places: readonly number[], isSure = false): Found | undefined {
  const [start, end] = [question.words[places[0] ?? -1]?.start, question.words[places.at(-1) ?? -1]?.end]
  if (start === undefined || end === undefined) return undefined
  return { value: question.text.slice(start, end), places: placesIn(question, start, end), isSure }
}

/** Runs of words that are about something and that no other field has taken. */
function freeRuns(filling: Filling, isQuery: boolean): number[][] {
  const runs: number[][] = []
  for (const [place, { lower }] of filling.question.words.entries()) {
    // A query takes “2 person tents” as it is; in a name, “3 lanterns” are several.
    const isNumber = isQuery && /\d/.test(lower) && !filling.used.has(place) && isFree(filling, place + 1)
    if (!isFree(filling, place) && !isNumber) continue
    if (runs.at(-1)?.at(-1) === place - 1) runs.at(-1)?.push(place)
    else runs.push([place])
  }
  return runs
}

function isFree({ question, used, profile }: Filling, place: number): boolean {
  const word = question.words[place]
  if (word === undefined || used.has(place) || question.asking.has(place) || !isContent(word)) return false
  if (isCapital(question, place)) return true
  const isNamed = isInName(question, place) && !used.has(place - 1)
  const actions = ACTIONS_BY_STEM.get(word.stem)
  // A verb before its object, in a second sentence, and the price that is asked for: “what does the stove *cost*”.
  if (actions !== undefined && (!isNamed || actions.includes('price'))) return false
  // The cart of `add-to-cart` says which tool, not which thing; so does “to my bag”, but not “sleeping bag”.
  return isNamed ? !profile.labels.has(word.stem) : !sameAs(word.stem).some((stem) => profile.labels.has(stem))
}

const isCapital = ({ words }: Question, place: number) => place > 0 && /^\p{Lu}/u.test(words[place]?.text ?? '')
