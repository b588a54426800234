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

export function startProjectProcess({ env, cwd, configFile, nonceStore }: Input): ProjectProcess {
  const args = [cwd, ...(configFile === undefined ? [] : [configFile])]
  // What the project prints goes to stderr: stdout holds what svc itself has to say.
  const child = fork(PROGRAM, args, {
    cwd,
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const calls = new Map<number, (answer: CarriedAnswer | null) => void>()
  let lastId = 0
  let idle: (() => void) | null = null
  const send = (message: ToWorker) => void (child.connected && child.send(message, () => undefined))

  const settle = (id: number, answer: CarriedAnswer | null) => {
    calls.get(id)?.(answer)
    calls.delete(id)
    if (calls.size === 0) idle?.()
  }
  const ended = endOf(child)
  const loaded = new Promise<Loaded>((resolve) => {
    child.on('message', (message: unknown) => {
      if (!isFromWorker(message)) return
      if (message.type === 'svc:ready') resolve({ ok: true, capabilities: message.capabilities })
      if (message.type === 'svc:failed') resolve({ ok: false, failure: message.failure })
      if (message.type === 'svc:answer') settle(message.id, message.answer)
      if (message.type === 'svc:claim') void claim(nonceStore, message, send)
    })
    void ended.then((how) => {
      resolve({
        ok: false,
        failure: { kind: 'project', message: `The project’s own code ended its process (${how}).`, lines: [] },
      })
      for (const id of [...calls.keys()]) settle(id, null)
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
    answer(request, signal) {
      lastId += 1
      const id = lastId
      signal.addEventListener('abort', () => send({ type: 'svc:left', id }), { once: true })
      return new Promise((resolve) => {
        if (!child.connected) return resolve(null)
        calls.set(id, resolve)
        send({ type: 'svc:request', id, request })
      })
    },
    async retire() {
      if (calls.size > 0) await withinPatience(new Promise<void>((resolve) => (idle = resolve)))
      await stop()
    },
    stop,
  }
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
