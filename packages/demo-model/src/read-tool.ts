import type { Tool } from './index.ts'
import { type Field, fieldsOf } from './schema-fields.ts'
import { ACTIONS_BY_STEM, type Action, FILLER_STEMS, WRITES } from './vocabulary.ts'
import { splitName, stem, stemsOf, wordsOf } from './words.ts'

/** The subject of a tool, taken from its own words. */
export interface ToolProfile {
  tool: Tool
  fields: readonly Field[]
  /** How much each stem says about this tool. */
  terms: ReadonlyMap<string, number>
  /** Words that name the tool or a field and never a thing: those of its name, of its options and its numbers. */
  labels: ReadonlySet<string>
  actions: readonly Action[]
  isWriting: boolean
}

const MAX_DESCRIPTION = 600
const TEXT = /^(code|person|place|query|name|prose|object|unknown)$/

// The tools of a deployment are the same objects for as long as it serves.
const profiles = new WeakMap<Tool, ToolProfile>()

export function profileOf(tool: Tool): ToolProfile {
  const profile = profiles.get(tool) ?? readTool(tool)
  profiles.set(tool, profile)
  return profile
}

function readTool(tool: Tool): ToolProfile {
  const fields = fieldsOf(tool.inputSchema)
  const words = splitName(tool.name)
  const name = words.map(stem)
  const terms = new Map<string, number>()
  const learn = (stems: readonly string[], weight: number) => {
    for (const word of stems) if (!FILLER_STEMS.has(word)) terms.set(word, Math.max(terms.get(word) ?? 0, weight))
  }
  const described = tool.description.slice(0, MAX_DESCRIPTION)
  learn(name, 3)
  learn(stemsOf(described), 2)
  for (const { stems, description, options } of fields) {
    learn(stems, 1)
    learn(stemsOf(description), 0.3)
    learn(stemsOf(options.join(' ').slice(0, MAX_DESCRIPTION).replaceAll('_', ' ')), 1.2)
  }
  const actions = actionsOf(words, wordsOf(described)[0]?.lower)
  const labels = fields.filter(({ kind }) => !TEXT.test(kind)).flatMap(({ stems }) => stems)
  const isWriting = actions.some((action) => WRITES.has(action))
  return { tool, fields, terms, labels: new Set([...name, ...labels]), actions, isWriting }
}

// A name that ends in what it gives (`order-status`) has no verb; else its first word is the verb, or the description’s.
function actionsOf(name: readonly string[], begins: string | undefined): readonly Action[] {
  const last = name.length > 1 ? actionsOfWord(name.at(-1)) : undefined
  if (last?.every((action) => action === 'status' || action === 'price' || action === 'get')) return last
  return actionsOfWord(name[0]) ?? actionsOfWord(begins) ?? ['get']
}

// Only as it stands in a command: `opening` hours open nothing, and `orders` order nothing.
const actionsOfWord = (word = ''): readonly Action[] | undefined =>
  /(ing|ed|[^su]s)$/.test(word) ? undefined : ACTIONS_BY_STEM.get(stem(word))
