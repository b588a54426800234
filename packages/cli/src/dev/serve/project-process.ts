import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { NonceStore } from '@svc/sdk'
import type { CliDeps } from '../../deps.ts'
import type { ListedCapability } from '../list/listed-capability.ts'
import {
  type CarriedAnswer,
  type CarriedRequest,
  isFromWorker,
  type ToWorker,
  type WorkerFailure,
} from '../worker/messages.ts'
import { createCallsUnderWay } from './calls-under-way.ts'

const PROGRAM = fileURLToPath(new URL('../../../dist/dev/worker/worker-main.js', import.meta.url))
const PATIENCE_MS = 5_000

/** How loading ended. */
export type Loaded =
  | { readonly ok: true; readonly capabilities: readonly ListedCapability[] }
  | { readonly ok: false; readonly failure: WorkerFailure }

/** One version of the project’s code, in a process of its own. */
export type ProjectProcess = {
  readonly loaded: Promise<Loaded>
  /** The answer; null where the process ended first. */
  readonly answer: (request: CarriedRequest, signal: AbortSignal) => Promise<CarriedAnswer | null>
  /** Resolves when the process has ended, whatever ended it. */
  readonly ended: Promise<void>
  /** Lets calls under way end, for a while, and then ends the process. */
  readonly retire: () => Promise<void>
  /** Ends it at once. */
  readonly stop: () => Promise<void>
}

type Input = Pick<CliDeps, 'env' | 'cwd' | 'configFile'> & { readonly nonceStore: NonceStore }

export function startProjectProcess({ nonceStore, ...deps }: Input): ProjectProcess {
  const child = forkWorker(deps)
  const calls = createCallsUnderWay()
  const send = (message: ToWorker) => void (child.connected && child.send(message, () => undefined))
  const ended = endOf(child)
  const loaded = new Promise<Loaded>((resolve) => {
    child.on('message', (message: unknown) => {
      if (!isFromWorker(message)) return
      switch (message.type) {
        case 'svc:ready':
          return resolve({ ok: true, capabilities: message.capabilities })
        case 'svc:failed':
          return resolve({ ok: false, failure: message.failure })
        case 'svc:answer':
          return calls.settle(message.id, message.answer)
        case 'svc:claim':
          return void claim(nonceStore, message, send)
        default:
          message satisfies never
      }
    })
    void ended.then((how) => {
      resolve({ ok: false, failure: endedEarly(how) })
      calls.abandon()
    })
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    await ended
    clearTimeout(impatience)
  }
  return {
    loaded,
    ended: ended.then(() => undefined),
    async answer(request, signal) {
      if (!child.connected) return null
      const { id, answer } = calls.begin()
      signal.addEventListener('abort', () => send({ type: 'svc:left', id }), { once: true })
      send({ type: 'svc:request', id, request })
      return answer
    },
    async retire() {
      await withinPatience(calls.idle())
      await stop()
    },
    stop,
  }
}

function forkWorker({ env, cwd, configFile }: Omit<Input, 'nonceStore'>): ChildProcess {
  const args = [cwd, ...(configFile === undefined ? [] : [configFile])]
  // What the project prints goes to stderr: stdout holds what svc itself has to say.
  return fork(PROGRAM, args, { cwd, env, execArgv: [], serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] })
}

function endedEarly(how: string): WorkerFailure {
  return { kind: 'project', message: `The project’s own code ended its process (${how}).`, lines: [] }
}

type Claim = { readonly id: number; readonly nonce: string; readonly expiresAt: number }

async function claim(
  store: NonceStore,
  { id, nonce, expiresAt }: Claim,
  send: (message: ToWorker) => void,
): Promise<void> {
  const isFirst = await store.claim(nonce, expiresAt).catch(() => null)
  send({ type: 'svc:claimed', id, isFirst })
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

async function withinPatience(promise: Promise<void>): Promise<void> {
  let impatience: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => (impatience = setTimeout(resolve, PATIENCE_MS)))
  await Promise.race([promise, limit])
  clearTimeout(impatience)
}
