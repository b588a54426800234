import type { ModelTool } from '../model.ts'
import { type Field, fieldsOf } from './schema-fields.ts'
import { ACTIONS_BY_STEM, type Action, FILLER_WORDS, WRITES } from './vocabulary.ts'
import { splitName, stem, stemsOf, tokenize } from './words.ts'

/** What a tool is about, taken from its own words. */
export interface ToolProfile {
  tool: ModelTool
  fields: readonly Field[]
  /** How much each stem says about this tool. */
  terms: ReadonlyMap<string, number>
  nameStems: ReadonlySet<string>
  /** What it deals in: the words of its name but for the verb. */
  objects: ReadonlySet<string>
  actions: ReadonlySet<Action>
  /** It changes something. */
  writes: boolean
}

const NAME_WEIGHT = 3
const DESCRIPTION_WEIGHT = 2
const LATER_SENTENCE_WEIGHT = 0.5
const OPTION_WEIGHT = 1.2
const FIELD_WEIGHT = 1
const FIELD_DESCRIPTION_WEIGHT = 0.3
const MAX_DESCRIPTION = 600

// A deployment's tools are the same objects for as long as it serves, and their words do not change.
const profiles = new WeakMap<ModelTool, ToolProfile>()

export function profileOf(tool: ModelTool): ToolProfile {
  const known = profiles.get(tool)
  if (known !== undefined) return known
  const profile = study(tool)
  profiles.set(tool, profile)
  return profile
}

function study(tool: ModelTool): ToolProfile {
  const fields = fieldsOf(tool.inputSchema)
  const words = splitName(tool.name)
  const name = words.map(stem)
  const terms = new Map<string, number>()
  const learn = (stems: readonly string[], weight: number) => {
    for (const word of stems) terms.set(word, Math.max(terms.get(word) ?? 0, weight))
  }
  const [first = '', ...later] = tool.description.slice(0, MAX_DESCRIPTION).split(/[.!]\s/)
  learn(telling(first), DESCRIPTION_WEIGHT)
  learn(telling(later.join(' ')), LATER_SENTENCE_WEIGHT)
  for (const field of fields) {
    learn(field.stems, FIELD_WEIGHT)
    learn(telling(field.description), FIELD_DESCRIPTION_WEIGHT)
    learn(
      field.options.flatMap((option) => stemsOf(String(option))),
      OPTION_WEIGHT,
    )
  }
  learn(name, NAME_WEIGHT)
  const actions = actionsOf(words, first)
  return {
    tool,
    fields,
    terms,
    nameStems: new Set(name),
    objects: new Set(name.filter((_, index) => index > 0 || actionsOfWord(words[0]) === undefined)),
    actions,
    writes: [...actions].some((action) => WRITES.has(action)),
  }
}

function telling(text: string): string[] {
  return stemsOf(text).filter((word) => !FILLER_STEMS.has(word))
}

const FILLER_STEMS: ReadonlySet<string> = new Set([...FILLER_WORDS].map(stem))

const NOUNS_OF_READING: ReadonlySet<Action> = new Set<Action>(['status', 'price', 'get'])

// A name without a verb ends in what it gives (`order-status`); else its first word is the verb, or the description's.
function actionsOf(name: readonly string[], description: string): Set<Action> {
  const last = name.length > 1 ? actionsOfWord(name.at(-1)) : undefined
  if (last?.every((action) => NOUNS_OF_READING.has(action))) return new Set(last)
  const [verb] = tokenize(description)
  return new Set(actionsOfWord(name[0]) ?? actionsOfWord(verb?.lower) ?? ['get'])
}

// Only as it stands in a command: `opening` hours open nothing, and `orders` order nothing.
function actionsOfWord(word: string | undefined): readonly Action[] | undefined {
  if (word === undefined || /(ing|ed|[^su]s)$/.test(word)) return undefined
  return ACTIONS_BY_STEM.get(stem(word))
}
