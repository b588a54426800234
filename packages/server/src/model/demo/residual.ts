import type { Filling } from './filling.ts'
import { isContent } from './utterance.ts'
import { SYNONYMS } from './vocabulary.ts'
import { stem, type Token } from './words.ts'

/**
 * The runs of words that are about something, and that no other field has taken. Verbs of asking are left out, but
 * where somebody's own sentence is wanted (`verbs: true`).
 */
export function residualRuns(filling: Filling, { verbs = false } = {}): number[][] {
  const runs: number[][] = []
  for (const [place, token] of filling.utterance.tokens.entries()) {
    if (!isResidual(filling, token, place) || (!verbs && VERBS.has(token.stem))) continue
    const run = runs.at(-1)
    if (run?.at(-1) === place - 1) run.push(place)
    else runs.push([place])
  }
  return runs
}

// Verbs of asking, that are hardly ever what is asked for.
const VERBS: ReadonlySet<string> = new Set(
  'search find browse recommend suggest show list see view buy purchase get add put cancel delete remove update change create sell carry tell describe compare need want send ship deliver cost made offer stock available please display give bring make use pick choose check'
    .split(' ')
    .map(stem),
)

function isResidual(filling: Filling, token: Token, place: number): boolean {
  if (filling.used.has(place) || filling.utterance.cues.has(place)) return false
  if ((!isContent(token) && !beginsName(filling, place)) || isLooseOrdinal(filling, place)) return false
  return !isToolWord(filling, token, place)
}

// A small word in capitals before another one belongs to a name: “New York”.
function beginsName({ utterance }: Filling, place: number): boolean {
  const [word, next] = [utterance.tokens[place]?.text ?? '', utterance.tokens[place + 1]?.text ?? '']
  return place > 0 && word.length > 1 && /^\p{Lu}/u.test(word) && /^\p{Lu}/u.test(next)
}

// “The first one” is no name, “first aid kit” is.
function isLooseOrdinal({ utterance }: Filling, place: number): boolean {
  const next = utterance.tokens[place + 1]
  return ORDINALS.has(utterance.tokens[place]?.lower ?? '') && (next === undefined || !isContent(next))
}

const ORDINALS: ReadonlySet<string> = new Set('first second third fourth fifth last next 1st 2nd 3rd'.split(' '))

// The tool's own noun says which tool, not which thing: the cart of `add-to-cart`. A synonym of it may well be part of
// a name, as in “sleeping bag”, so it counts only behind a small word: “to my bag”.
export function isToolWord(filling: Filling, token: Token, place: number): boolean {
  const { nameStems, fields } = filling.profile
  if (nameStems.has(token.stem)) return true
  const labels = fields.filter((field) => LABELS.has(field.role)).flatMap((field) => field.stems)
  if (labels.includes(token.stem)) return true
  const isSynonym = (SYNONYMS.get(token.stem) ?? []).some((other) => nameStems.has(other) || labels.includes(other))
  const previous = filling.utterance.tokens[place - 1]
  return isSynonym && (previous === undefined || !isContent(previous) || filling.used.has(place - 1))
}

const LABELS: ReadonlySet<string> = new Set(['option', 'flag', 'max', 'min', 'money', 'count', 'country'])
