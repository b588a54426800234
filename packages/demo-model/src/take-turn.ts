import type { Message } from '@svc/contract'
import { type Choice, chooseTool } from './choose-tool.ts'
import { askAbout, askFor, DEMO_LINE, introduction, isSmallTalk, pendingTool } from './converse.ts'
import { fillInput } from './fill-input.ts'
import type { Tool, Turn } from './index.ts'
import { present } from './present-output.ts'
import { readQuestion } from './read-question.ts'
import { profileOf, type ToolProfile } from './read-tool.ts'

/** Decides from the conversation alone: results are told, anything else looks for its tool. */
export function takeTurn({ messages, tools }: { messages: readonly Message[]; tools: readonly Tool[] }): Turn {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(lastUser + 1)
  // A result may come after the answer: the client waited for it.
  const answer = since.slice(0, -1).findLastIndex((message) => message.role === 'assistant' && textOf(message) !== '')
  const results = since.slice(answer + 1).flatMap((message) => (message.role === 'tool' ? message.parts : []))
  if (results.length > 0) return say(results.map(present).join('\n\n'))
  const question = readQuestion(textOf(messages[lastUser]))
  const profiles = tools.map(profileOf)
  const chosen = chooseTool(profiles, question)
  const pending = resumed(messages.slice(0, lastUser), profiles, question.text)
  if (pending === null && isSmallTalk(question)) return say(introduction('Hello!', tools))
  const choice = pending !== null && (chosen?.score ?? 0) < SURE ? pending : chosen
  if (choice === null) return say(introduction('I do not see which of my tools fits that: try other words.', tools))
  const { tool } = choice.profile
  const { input, missing, unread } = choice.filled
  if (missing.length > 0) return say(askFor(tool, missing))
  if (unread.length > 0) return say(askAbout(tool, unread))
  return { type: 'call', name: tool.name, input }
}

const SURE = 4.5

// The answer to what the model asked is a few words, which make sense only behind what was said before.
function resumed(before: readonly Message[], profiles: readonly ToolProfile[], said: string): Choice | null {
  const pending = pendingTool(textOf(before.findLast(({ role }) => role === 'assistant')))
  const profile = profiles.find(({ tool }) => tool.name === pending)
  const earlier = textOf(before.findLast(({ role }) => role === 'user'))
  if (profile === undefined) return null
  return { profile, filled: fillInput(profile, readQuestion(`${earlier}\n${said}`)), score: SURE }
}

const say = (text: string): Turn => ({ type: 'say', text: `${DEMO_LINE}\n${text}` })

const textOf = (message: Message | undefined): string =>
  message?.parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join('\n') ?? ''
