import { type CapabilityHandler, createHandler, NonceStoreFullError } from '@svc/sdk'
import type { CliDeps } from '../../deps.ts'
import { CommandFailure, projectFailure } from '../../failures.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { stackOf } from '../../thrown.ts'
import { inspectProject } from '../inspect-project.ts'
import type { ListedCapability } from '../list/listed-capability.ts'
import { createErrorLog } from './error-log.ts'
import type { CarriedAnswer, CarriedRequest, FromWorker, ToWorker, WorkerFailure } from './messages.ts'

type Options = {
  readonly deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>
  readonly terminal: Terminal
  readonly send: (message: FromWorker) => void
}

/** Loads the project, says whether that went well, and from then on answers the requests that it is handed. */
export function startWorker({ deps, terminal, send }: Options): { receive(message: ToWorker): void } {
  const claims = createClaims(send)
  const log = createErrorLog(terminal)
  const leaving = new Map<number, AbortController>()
  const loading = load({ deps, terminal, nonceStore: claims, onError: log.onError })
  loading.then(
    ({ capabilities }) => send({ type: 'svc:ready', capabilities }),
    (error: unknown) => send({ type: 'svc:failed', failure: failureOf(error) }),
  )

  async function answer(id: number, request: CarriedRequest): Promise<void> {
    const departure = new AbortController()
    leaving.set(id, departure)
    const { handler } = await loading
    const done = log.follow(request.body)
    const response = await handler(toRequest(request, departure.signal)).finally(done)
    leaving.delete(id)
    send({ type: 'svc:answer', id, answer: await carried(response) })
  }

  return {
    receive(message) {
      switch (message.type) {
        case 'svc:request':
          return void answer(message.id, message.request)
        case 'svc:left':
          return leaving.get(message.id)?.abort()
        case 'svc:claimed':
          return claims.settle(message.id, message.isFirst)
        default:
          message satisfies never
      }
    },
  }
}

type Loading = Pick<Options, 'deps' | 'terminal'> & Pick<Parameters<typeof createHandler>[0], 'nonceStore' | 'onError'>
type Loaded = { readonly handler: CapabilityHandler; readonly capabilities: ListedCapability[] }

async function load({ deps, terminal, nonceStore, onError }: Loading): Promise<Loaded> {
  const { project, runtime, capabilities } = await inspectProject(deps, terminal)
  const secrets = secretsOf(deps.env)
  const missing = [
    ...(project.runtimeId === null ? ['SVC_RUNTIME_ID'] : []),
    ...(secrets.length === 0 ? ['SVC_RUNTIME_SECRET'] : []),
  ]
  if (project.runtimeId === null || secrets.length === 0) {
    throw projectFailure(
      `The capabilities are in order, and cannot be served: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`,
      [
        'Registering the runtime gives both. Put them into .env, beside svc.config.ts.',
        '`svc dev --check` and `svc dev call` work without them.',
      ],
    )
  }
  const permissionsOf = ({ capability }: { readonly capability: string }) => runtime.find(capability)?.permissions ?? []
  const { runtimeId } = project
  const serving = { runtime, runtimeId, secret: secrets, nonceStore, permissionsOf }
  const handler = createHandler({ ...serving, onError, exposeErrors: true })
  return { handler, capabilities: [...capabilities] }
}

// During a rotation the variable holds the new secret and the old one.
function secretsOf(env: CliDeps['env']): string[] {
  return (env['SVC_RUNTIME_SECRET'] ?? '').split(',').flatMap((secret) => secret.trim() || [])
}

// Nonces are claimed in the process that outlives this one: a reload must not let an answered call in again.
function createClaims(send: Options['send']) {
  const open = new Map<number, { resolve(isFirst: boolean): void; reject(error: unknown): void }>()
  let lastId = 0
  return {
    claim(nonce: string, expiresAt: number): Promise<boolean> {
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        open.set(id, { resolve, reject })
        send({ type: 'svc:claim', id, nonce, expiresAt })
      })
    },
    settle(id: number, isFirst: boolean | null): void {
      if (isFirst === null) open.get(id)?.reject(new NonceStoreFullError('The nonce store of svc dev is full.'))
      else open.get(id)?.resolve(isFirst)
      open.delete(id)
    },
  }
}

function toRequest({ headers, body }: CarriedRequest, signal: AbortSignal): Request {
  return new Request('http://localhost/svc', { method: 'POST', headers, body: new Uint8Array(body), signal })
}

async function carried(response: Response): Promise<CarriedAnswer> {
  const body = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: [...response.headers], body }
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof CommandFailure) return { kind: error.kind, message: error.message, lines: error.lines }
  return { kind: 'failure', message: 'The project cannot be served.', lines: stackOf(error).split('\n') }
}
