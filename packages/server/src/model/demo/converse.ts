import type { ModelTool } from '../model.ts'
import { labelOf } from './present-value.ts'
import type { Field } from './schema-fields.ts'
import type { Utterance } from './utterance.ts'
import { GREETINGS } from './vocabulary.ts'

/** The first line of everything that this model says. */
export const DEMO_LINE = '[Demo model: rules, no language understanding]'

const MOST_TOOLS = 12
const LONGEST_DESCRIPTION = 100

/** Whether somebody only greets, thanks or asks what can be done here. */
export function isSmallTalk(utterance: Utterance): boolean {
  const words = utterance.tokens.map((token) => token.lower)
  if (words.length === 0 || words.every((word) => GREETINGS.has(word))) return true
  return /^(?:\w+[\s,!.]+){0,4}?(?:help(?: me)?|what can (?:you|i) (?:do|ask)(?: \w+){0,3}|who are you|what are you|how does this work|what do you do)[\s?!.]*$/i.test(
    utterance.text.trim().slice(0, 200),
  )
}

/** Answers a greeting, thanks or a question about the model itself. */
export function introduction(utterance: Utterance, tools: readonly ModelTool[]): string {
  const words = new Set(utterance.tokens.map((token) => token.lower))
  const isThanks = words.has('thanks') || words.has('thank') || words.has('cheers')
  const opening = isThanks ? 'You are welcome.' : 'Hello!'
  return `${opening} ${whatIsThere(tools)}`
}

export function notUnderstood(tools: readonly ModelTool[]): string {
  return `I do not see which of my tools fits that; other words may help. ${whatIsThere(tools)}`
}

function whatIsThere(tools: readonly ModelTool[]): string {
  if (tools.length === 0) return 'I have no tools here, so there is nothing that I can look up or do.'
  const lines = tools.slice(0, MOST_TOOLS).map((tool) => `- ${labelOf(tool.name)}: ${firstSentence(tool.description)}`)
  const more = tools.length > MOST_TOOLS ? [`… and ${tools.length - MOST_TOOLS} more.`] : []
  return ['I can:', ...lines, ...more].join('\n')
}

function firstSentence(text: string): string {
  const [sentence = ''] = text.slice(0, 500).split(/(?<=[.!])\s/)
  if (sentence.length <= LONGEST_DESCRIPTION) return sentence
  const cut = sentence.slice(0, LONGEST_DESCRIPTION)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), LONGEST_DESCRIPTION / 2)).replace(/[,:;]$/, '')} …`
}

/** Asks for what a tool needs and was not said. {@link pendingTool} reads the tool's name back from it. */
export function question(tool: ModelTool, missing: readonly Field[]): string {
  const wanted = missing.map((field) => {
    const choice = field.options.length > 0 ? ` (one of ${field.options.slice(0, 8).map(String).join(', ')})` : ''
    return `the ${labelOf(field.name)}${choice}`
  })
  return `For ${labelOf(tool.name)} I also need ${joined(wanted)}. What is it? (${tool.name})`
}

/** The name of the tool that the model’s last words asked something for, or null. */
export function pendingTool(said: string): string | null {
  if (!said.startsWith(DEMO_LINE)) return null
  return /\? \(([\w-]{1,128})\)$/.exec(said.slice(-200).trim())?.[1] ?? null
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}
