import { stem, type Word } from './words.ts'

/** A number in a question, and what the text around it makes of it. */
export interface FoundNumber {
  /** Null where it is written in a way that is not read, such as “two hundred”. */
  value: number | null
  place: number
  isMoney: boolean
  bound: 'max' | 'min' | null
  /** The stem of the word behind it: `2 *nights*`. */
  unit: string
  /** It names one thing: `#42`, `ticket number 42`, `Lantern 3`. */
  isLabel: boolean
  /** The person who asks comes on top: `me and 2 friends`. */
  isPlusSelf: boolean
}

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen twenty'
const NUMBER_WORDS = NUMBERS.split(' ')
const UNREAD_WORDS =
  /^(?:half|dozen|hundred|thousand|million|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-[a-z]{3,5})?)$/

// Each is matched against a few dozen characters beside a number, so that the search stays linear in the text.
const SPAN = 40
const MONEY_BEFORE = /(?:[$€£]|\b(?:eur|usd|gbp|chf))\s*$/
const MONEY_AFTER = /^\s*(?:[$€£]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?|bucks)\b)/
const MAX_BEFORE =
  /\b(?:(?:no|not) more than|(?:less|cheaper|lower) than|at most|up to|budget(?: of| is)?|under|below|max(?:imum)?|within|(?:between|from) [$€£]?\d[\d.,]*(?: ?€| euros?| dollars?)? (?:and|to))(?: about| around| the| a)? *[$€£]? *$/
const MIN_BEFORE =
  /(?:(?<!no |not )\bmore than|\b(?:at least|over|above|from|min(?:imum)?|between))(?: about)? *[$€£]? *$/
const MIN_AFTER = /^[^\d.?!,]{0,9}?\bor (?:more|above)\b/

export const isNumberWord = (lower: string): boolean =>
  NUMBER_WORDS.includes(lower) || UNREAD_WORDS.test(lower) || lower === 'couple' || /^-?\d[\d.,]*$/.test(lower)

/** Every number of a text, in order. */
export function readNumbers(text: string, words: readonly Word[]): FoundNumber[] {
  return words.flatMap((word, place) => {
    if (!isNumberWord(word.lower) || (word.lower === 'one' && isPronoun(words, place))) return []
    const beside = [words[place - 1], words[place + 1]].map((other) => other?.lower ?? '')
    const isPart = beside.some((other) => UNREAD_WORDS.test(other) || /^(cents?|pence|percent)$/.test(other))
    return { ...inContext(text, word), place, value: isPart ? null : numberOf(word.lower) }
  })
}

// `1,200`, `49.90`, `12`, `twelve`.
function numberOf(lower: string): number | null {
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(lower)) return Number(lower.replaceAll(',', ''))
  if (/^-?\d+(\.\d+|,\d{1,2})?$/.test(lower)) return Number(lower.replace(',', '.'))
  const value = lower === 'couple' ? 2 : NUMBER_WORDS.indexOf(lower)
  return value < 0 ? null : value
}

// “One lantern” counts; “the cheap one”, “this one” and “which one” do not.
function isPronoun(words: readonly Word[], place: number): boolean {
  const previous = words[place - 1]?.lower ?? ''
  return place > 0 && !/^(add|buy|take|put|get|order|want|need|for|have|only|book|of|and|with|plus)$/.test(previous)
}

function inContext(text: string, { start, end }: Word): Omit<FoundNumber, 'place' | 'value'> {
  const before = text.slice(Math.max(0, start - SPAN), start)
  const [lead, after] = [before.toLowerCase(), text.slice(end, end + SPAN).toLowerCase()]
  const next = /^\s+(?:of\s+)?([\p{L}'’-]+)/u.exec(after)?.[1] ?? ''
  return {
    isMoney: MONEY_BEFORE.test(lead) || MONEY_AFTER.test(after),
    bound: MAX_BEFORE.test(lead) ? 'max' : MIN_BEFORE.test(lead) || MIN_AFTER.test(after) ? 'min' : null,
    unit: isNumberWord(next) ? '' : stem(next),
    isLabel: /(?:#|\b(?:number|no|nr|id))\s*$/.test(lead) || /[^.?!\s] \p{Lu}[\p{L}\p{N}-]* $/u.test(before),
    isPlusSelf: /\b(?:me|myself|i),? and\s+$/.test(lead) || /^\s+[\p{L}-]+,? and (?:me|myself|i)\b/u.test(after),
  }
}
