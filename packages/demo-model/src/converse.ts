import type { Tool } from './index.ts'
import { labelOf } from './present-output.ts'
import { isContent, type Question } from './read-question.ts'
import type { Field } from './schema-fields.ts'

/** The first line of everything that this model says. */
export const DEMO_LINE = '[Demo model: rules, no language understanding]'

const MAX_TOOLS = 12
const MAX_DESCRIPTION = 100
const ASKS_WHAT_THERE_IS =
  /^(?:\w+[\s,!.]+){0,4}?(?:help(?: me)?|what can (?:you|i) (?:do|ask)(?: \w+){0,3}|(?:who|what) are you|how does this work|what do you do)[\s?!.]*$/i

/** Whether somebody only greets, thanks or asks what can be done here. */
export const isSmallTalk = ({ words, numbers, wishes, text }: Question): boolean =>
  (wishes.size + numbers.length === 0 && !words.some(isContent)) || ASKS_WHAT_THERE_IS.test(text.trim().slice(0, 200))

/** Tells what can be done here. */
export function introduction(opening: string, tools: readonly Tool[]): string {
  if (tools.length === 0) return `${opening} I have no tools here, so there is nothing that I can look up or do.`
  const first = (text: string) => text.slice(0, MAX_DESCRIPTION).split(/(?<=[.!])\s/)[0]
  const lines = tools.slice(0, MAX_TOOLS).map((tool) => `- ${labelOf(tool.name)}: ${first(tool.description)}`)
  const more = tools.length > MAX_TOOLS ? [`… and ${tools.length - MAX_TOOLS} more.`] : []
  return [`${opening} I can:`, ...lines, ...more].join('\n')
}

const EXAMPLES: Readonly<Record<string, string>> = { date: ' (such as 2026-04-02)', time: ' (such as 15:30)' }

/** Asks for what a tool needs and the question did not say. {@link pendingTool} reads the tool’s name back from it. */
export function askFor(tool: Tool, missing: readonly Field[]): string {
  const named = ({ name, parent }: Field): string =>
    parent === null ? labelOf(name) : `${labelOf(name)} of the ${named(parent)}`
  const choice = ({ kind, options }: Field) =>
    options.length > 0 ? ` (one of ${options.slice(0, 8).map(String).join(', ')})` : (EXAMPLES[kind] ?? '')
  const wanted = missing.map((field) => `the ${named(field)}${choice(field)}`)
  return `For ${labelOf(tool.name)} I also need ${wanted.join(' and ')}. What is it? (${tool.name})`
}

export function askAbout(tool: Tool, unread: readonly string[]): string {
  return `For ${labelOf(tool.name)} I do not know what to do with “${unread.join('” and “')}”. Please use other words.`
}

/** The name of the tool that the model’s last words asked something for, or null. */
export const pendingTool = (said: string): string | null =>
  said.startsWith(DEMO_LINE) ? (/\? \(([\w-]{1,128})\)$/.exec(said.slice(-200).trim())?.[1] ?? null) : null
