import { type DeploymentManifest, jsonSchemaCheck, Message, Preview } from '@svc/contract'
import { callCapability } from '@svc/sdk/testing'
import type { AgentCall } from '#service/server/src/agent/agent-event.js'
import { type AgentDeps, runAgent } from '#service/server/src/agent/run-agent.js'
import type { CallCapability, JudgeCall } from '#service/server/src/agent/run-calls.js'
import type { Toolset } from '#service/server/src/agent/tools.js'
import type { CallResult } from '#service/server/src/dispatch/call-result.js'
import { JsonDocument } from '#service/server/src/lib/json-document.js'
import { Stop } from '#service/server/src/lib/stop-signal.js'
import { DEFAULT_LIMITS } from '#service/server/src/limits.js'
import type { CliDeps } from '../../deps.ts'
import type { CompiledProject } from '../../project/compile-project.ts'
import { endUserTokenOf } from '../../project/end-user-token.ts'
import type { ConversationFile } from '../read-test-file.ts'
import { createMocks, type Mocked, type Mocks } from './mocks.ts'
import { demoModel, scriptedModel } from './models.ts'
import { type Conversation, userMessage } from './played.ts'

/** What the service tells the model of a call that a person has to approve. */
export const WAITS =
  'Not run yet: a person has to approve this call first. Its result follows once somebody has decided.'

type Deps = Pick<CliDeps, 'timers' | 'env'> & { readonly onError: (error: unknown) => void }
type Here = { readonly test: ConversationFile; readonly project: Pick<CompiledProject, 'runtime' | 'manifest'> }

/** Plays a test in this process, by the service’s own agent loop. */
export function playHere(deps: Deps, { test, project }: Here) {
  const { manifest } = project
  const transcript: Message[] = []
  const mocks = createMocks(test.mocks, endUserTokenOf(deps))
  const toolset = toolsetOf(manifest)
  let ids = 0
  const loop: Omit<AgentDeps, 'model'> = {
    observe: (callModel) => callModel(),
    clock: { now: () => deps.timers.now() },
    newId: (kind) => `${kind}_${++ids}`,
    limits: limitsOf(manifest),
  }
  const conversation: Conversation = {
    async play(at) {
      const turn = test.turns[at]
      if (!turn) throw new Error(`there is no turn ${at}`)
      const script = test.model === 'scripted' ? scriptedModel(turn.model ?? []) : null
      const added: Message[] = []
      const problems: string[] = []
      const calls = createCalls(deps, { project, mocks, problems })
      transcript.push(userMessage(turn.user))
      const result = await runAgent(
        { ...loop, model: script ?? demoModel },
        {
          executionId: `exec_${at + 1}`,
          instructions: manifest.agent?.instructions ?? null,
          messages: transcript,
          toolset,
          judge: turn.approve ? async () => null : calls.judge,
          call: calls.call,
          emit: (event) => void (event.type === 'turn' && added.push(plain(event.message))),
          signal: new Stop(),
          hold: () => true,
        },
      )
      transcript.push(...added)
      const left = script?.left() ?? 0
      if (left > 0 && result.finishReason !== 'error') {
        problems.push(`The turn ended with ${left} of its ${turn.model?.length} steps under model not used.`)
      }
      const error = result.finishReason === 'error' ? result.error : null
      return { user: turn.user, messages: added, finishReason: result.finishReason, error, problems }
    },
  }
  return { conversation, mocks }
}

type Calling = Pick<Here, 'project'> & { readonly mocks: Mocks; readonly problems: string[] }

/** Calls of one turn: mocked, or made in process by the way of a signed call. */
function createCalls({ env, timers, onError }: Deps, { project, mocks, problems }: Calling) {
  const { runtime, manifest } = project
  const endUserToken = endUserTokenOf({ env }) ?? undefined
  const live = async ({ callId, capability: name, input }: AgentCall, mode?: 'preview'): Promise<CallResult> => {
    const capability = runtime.find(name)
    if (!capability) throw new Error(`there is no capability ${name}`)
    const stop = new AbortController()
    const options = { callId, mode, endUserToken, signal: stop.signal, onError }
    const timedOut = new Promise<null>((resolve) => {
      const end = timers.after(DEFAULT_LIMITS.dispatchMs, () => resolve(null))
      stop.signal.addEventListener('abort', end)
    })
    const answer = await Promise.race([callCapability(capability, input.value, options), timedOut])
    stop.abort()
    if (answer === null) return failed('The endpoint did not answer in time.')
    return answer.ok ? succeeded(answer.output) : failed(answer.message)
  }
  const call: CallCapability = async (made) => {
    const mocked = mocks.answer(made.capability, made.input.value)
    return mocked === null ? live(made) : resultOf(mocked, problems)
  }
  const judge: JudgeCall = async (made) => {
    const declared = manifest.capabilities.find(({ name }) => name === made.capability)
    if (!declared?.confirm) return null
    // A mock stands for the preview, too: nothing of the project runs.
    const mocked = mocks.answer(made.capability, made.input.value)
    if (declared.preview && mocked === null) {
      const answer = await live(made, 'preview')
      if (!answer.ok) return { kind: 'failed', result: answer }
      const preview = Preview.safeParse(answer.output.value)
      if (preview.data?.confirm === false) return null
    }
    return { kind: 'waits', result: failed(WAITS) }
  }
  return { call, judge }
}

function resultOf(mocked: Mocked, problems: string[]): CallResult {
  if ('output' in mocked) return succeeded(mocked.output)
  if (mocked.problem !== undefined) problems.push(mocked.problem)
  return failed(mocked.error)
}

function succeeded(value: unknown): CallResult {
  const output = JsonDocument.of(value)
  return { ok: true, output, redacted: output, durationMs: 0 }
}

function failed(message: string): CallResult {
  return { ok: false, message, durationMs: 0 }
}

function limitsOf({ agent }: DeploymentManifest): AgentDeps['limits'] {
  const { steps = DEFAULT_LIMITS.steps, tokens = DEFAULT_LIMITS.executionTokens } = agent?.limits ?? {}
  const executionTokens = Math.min(tokens, DEFAULT_LIMITS.executionTokens)
  return { ...DEFAULT_LIMITS, steps: Math.min(steps, DEFAULT_LIMITS.steps), executionTokens }
}

function toolsetOf({ capabilities }: DeploymentManifest): Toolset {
  const tools = capabilities.map(({ name, description, actions: [action] }) => {
    return { name, description, inputSchema: action?.inputSchema ?? null }
  })
  const checks = new Map(
    tools.map(({ name, inputSchema }) => [name, inputSchema ? jsonSchemaCheck(inputSchema) : () => ({})]),
  )
  return {
    tools,
    check(name) {
      const check = checks.get(name)
      if (!check) return undefined
      return (input, root) => {
        const faults = Object.entries(check(input.value))
        const named = faults.map(([field, messages]) => [field === root ? root : `${root}.${field}`, messages])
        return faults.length > 0 ? Object.fromEntries(named) : null
      }
    },
  }
}

function plain(message: Message): Message {
  return Message.parse(JSON.parse(JSON.stringify(message)))
}
