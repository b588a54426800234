import type { JsonObject, Message, ToolResultPart } from '@svc/contract'
import type { ModelTool } from '../model.ts'
import { answerFrom } from './answer.ts'
import { type Choice, chooseTool } from './choose-tool.ts'
import { DEMO_LINE, introduction, isSmallTalk, notUnderstood, pendingTool, question } from './converse.ts'
import { fillInput } from './fill-input.ts'
import type { Heard } from './heard.ts'
import { recall } from './memory.ts'
import { profileOf, type ToolProfile } from './tool-profile.ts'
import { understand } from './utterance.ts'

/** What the model does in its turn: it says something, or calls one tool. */
export type Turn = { type: 'say'; text: string } | { type: 'call'; name: string; input: JsonObject }

interface TurnRequest {
  messages: readonly Message[]
  tools: readonly ModelTool[]
  nowMs: number
}

/** Decides from the conversation alone: results are answered from, anything else looks for its tool. */
export function takeTurn(request: TurnRequest): Turn {
  const { messages, tools } = request
  const lastUser = messages.findLastIndex((message) => message.role === 'user')
  const since = messages.slice(lastUser + 1)
  const results = unanswered(since).flatMap((message) => (message.role === 'tool' ? message.parts : []))
  if (results.length > 0) return say(answerFrom(results, inputsOf(since)))
  const heard = listen(request, textOf(messages[lastUser]))
  if (isSmallTalk(heard.utterance)) return say(introduction(heard.utterance, tools))
  const profiles = tools.map(profileOf)
  const choice =
    resumed(request, { profiles, lastUser, heard }) ?? followed(profiles, heard) ?? chooseTool(profiles, heard)
  if (choice === null) return say(notUnderstood(tools))
  const { profile, filled } = choice
  if (filled.missing.length > 0) return say(question(profile.tool, filled.missing))
  return { type: 'call', name: profile.tool.name, input: filled.input }
}

// A result may come after the answer: somebody waited for it and tells it now. What was answered before stays answered.
function unanswered(messages: readonly Message[]): readonly Message[] {
  const answer = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.parts.every(({ type }) => type === 'text'),
  )
  const later = messages.slice(answer + 1)
  return later.length > 0 ? later : messages
}

function say(text: string): Turn {
  return { type: 'say', text: `${DEMO_LINE}\n${text}` }
}

function listen({ messages, nowMs }: TurnRequest, said: string): Heard {
  return { utterance: understand(said), memory: recall(messages), nowMs }
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return ''
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join('\n')
}

function inputsOf(messages: readonly Message[]): Map<ToolResultPart['toolCallId'], JsonObject> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
  return new Map(calls.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.input] as const] : [])))
}

const SURE = 4.5

// Somebody who was asked for something answers in few words, which make sense only behind what they had said before.
function resumed(
  request: TurnRequest,
  at: { profiles: readonly ToolProfile[]; lastUser: number; heard: Heard },
): Choice | null {
  const { messages } = request
  const before = messages.slice(0, at.lastUser)
  const pending = pendingTool(textOf(before.findLast((message) => message.role === 'assistant')))
  const profile = at.profiles.find(({ tool }) => tool.name === pending)
  if (profile === undefined) return null
  const other = chooseTool(at.profiles, at.heard)
  if (other !== null && other.profile !== profile && other.score >= SURE) return null
  const earlier = textOf(before.findLast((message) => message.role === 'user'))
  const now = fillInput(profile, at.heard)
  const both = fillInput(profile, listen(request, `${earlier}\n${at.heard.utterance.text}`))
  const filled = both.missing.length <= now.missing.length ? both : now
  return { profile, filled, score: SURE }
}

const ELLIPSIS = /^(?:and|what about|how about|only|but|or)\b/i

// “And under 30 euros?” repeats the last call with what was said changed in it.
function followed(profiles: readonly ToolProfile[], heard: Heard): Choice | null {
  const { call } = heard.memory
  const profile = profiles.find(({ tool, writes }) => tool.name === call?.name && !writes)
  if (call === null || profile === undefined || !ELLIPSIS.test(heard.utterance.text.trim())) return null
  const filled = fillInput(profile, heard)
  const changes = Object.entries(filled.input).filter(([, value]) => value !== '')
  const other = chooseTool(profiles, heard)
  if (changes.length === 0 || (other !== null && other.profile !== profile && other.score >= SURE)) return null
  const input = { ...call.input, ...Object.fromEntries(changes) }
  const missing = filled.missing.filter((field) => !Object.hasOwn(input, field.name))
  return { profile, filled: { ...filled, input, missing }, score: SURE }
}
