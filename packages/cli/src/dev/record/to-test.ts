import { canonicalJson, type ExecuteResponse, type JsonObject, type Message } from '@svc/contract'
import type { CapabilityMock, ConversationTest, ExpectedCall, ScriptedStep, TestTurn } from '@svc/sdk/testing'

/** A turn of a chat: what was asked, and what came of it. */
export type RecordedTurn = { readonly user: string } & Pick<ExecuteResponse, 'messages' | 'finishReason' | 'error'>

type Call = { readonly capability: string; readonly input: JsonObject; readonly result: Result }
type Result = { readonly output: unknown } | { readonly error: string }

// How the service’s own answers begin: record-parity.test.ts has the service give each of them.
const UNKNOWN = /^There is no capability named /
/** To a call that never reaches the endpoint. One that waits does, once it is approved. */
const NOT_DISPATCHED = /^(?:The input (?:must be|does not fit)|The call was not made)/
const WAITS = /^Not run yet: /

/**
 * A chat as a test that plays without a network: the model scripted, each call mocked by what it answered. `isConfirmed` tells
 * whether a person approves the calls of a capability.
 */
export function toTest(
  recorded: readonly RecordedTurn[],
  isConfirmed: (capability: string) => boolean,
): ConversationTest {
  const turns = recorded.map(asWritten)
  const calls = turns.flatMap(({ messages }) => callsIn(messages)).filter(isDispatched)
  const mocks = mocksOf(calls)
  return {
    model: 'scripted',
    ...(Object.keys(mocks).length > 0 && { mocks }),
    turns: turns.filter(({ messages }) => messages.length > 0).map((turn) => toTurn(turn, isConfirmed)),
  }
}

// A file holds no half characters, which a model may write.
function asWritten(turn: RecordedTurn): RecordedTurn {
  return JSON.parse(JSON.stringify(turn, (_name, value) => (typeof value === 'string' ? whole(value) : value)))
}

function whole(text: string): string {
  return Buffer.from(text).toString()
}

function toTurn(
  { user, messages, finishReason, error }: RecordedTurn,
  isConfirmed: (capability: string) => boolean,
): TestTurn {
  const made = callsIn(messages)
  // A preview said that no person is needed. A mock stands for the preview, which would have the call wait.
  const ranAtOnce = made.some((call) => isConfirmed(call.capability) && isDispatched(call)) && !made.some(isWaiting)
  const calls = [...grouped(made).values()].map(([first, ...more]): ExpectedCall => {
    const { capability, input } = first
    return { capability, input: { exact: input }, times: more.length + 1 }
  })
  const answer = lastLine(messages)
  return {
    user,
    ...(ranAtOnce && { approve: true }),
    model: messages.flatMap(stepsOf),
    expect: {
      calls,
      ...(answer !== null && { answer: { contains: answer } }),
      ...(finishReason === 'approval_required' && { finishReason }),
      ...(error && { finishReason: 'error' as const }),
    },
  }
}

function stepsOf(message: Message, _at: number, messages: readonly Message[]): ScriptedStep[] {
  if (message.role !== 'assistant') return []
  const say = message.parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join('')
  const known = callsIn(messages)
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool_call' && known.some(({ capability }) => capability === part.name)
      ? [{ call: part.name, input: part.input }]
      : [],
  )
  const [first, ...more] = calls
  if (!first) return [{ say }]
  return [{ ...(say !== '' && { say }), ...(more.length === 0 ? first : { calls }) }]
}

/** The calls of capabilities that there are. */
function callsIn(messages: readonly Message[]): Call[] {
  const results = new Map<string, Result>()
  for (const { role, parts } of messages) {
    if (role !== 'tool') continue
    for (const { toolCallId, output, error } of parts) {
      results.set(toolCallId, error ? { error: error.message } : { output })
    }
  }
  return messages.flatMap(({ role, parts }) =>
    role !== 'assistant'
      ? []
      : parts.flatMap((part): Call[] => {
          if (part.type !== 'tool_call') return []
          const result = results.get(part.id) ?? { error: 'The call has no result.' }
          return 'error' in result && UNKNOWN.test(result.error)
            ? []
            : [{ capability: part.name, input: part.input, result }]
        }),
  )
}

function isDispatched({ result }: Call): boolean {
  return !('error' in result && NOT_DISPATCHED.test(result.error))
}

function isWaiting({ result }: Call): boolean {
  return 'error' in result && WAITS.test(result.error)
}

function grouped(calls: readonly Call[]): Map<string, [Call, ...Call[]]> {
  const groups = new Map<string, [Call, ...Call[]]>()
  for (const call of calls) {
    const key = canonicalJson([call.capability, call.input])
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  return groups
}

// One for each input: a capability with one input needs none in its mock.
function mocksOf(calls: readonly Call[]): Record<string, CapabilityMock | CapabilityMock[]> {
  const inputs = [...grouped(calls).values()].map(([first]) => first)
  const names = [...new Set(inputs.map(({ capability }) => capability))]
  return Object.fromEntries(
    names.map((name) => {
      const own = inputs.filter(({ capability }) => capability === name)
      const [only, ...others] = own
      if (only && others.length === 0) return [name, only.result]
      return [name, own.map(({ input, result }) => ({ input: { exact: input }, ...result }))]
    }),
  )
}

const SHOWN_CHARACTERS = 100

// The end of the answer is what the customer was told after all calls.
function lastLine(messages: readonly Message[]): string | null {
  const said = messages.flatMap(({ role, parts }) =>
    role === 'assistant' ? parts.flatMap((part) => (part.type === 'text' ? part.content.split('\n') : [])) : [],
  )
  return said.findLast((line) => line.trim() !== '')?.slice(0, SHOWN_CHARACTERS) ?? null
}
