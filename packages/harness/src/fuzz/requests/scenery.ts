import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject } from '@svc/contract'
import { z } from 'zod'
import type { RawConnection } from '../support/raw-connection.ts'
import { jsonRequest, toBytes } from '../support/raw-request.ts'
import type { ApiOperation, Plane } from './api-operations.ts'

/** What good requests of one caller name, and the credentials that open what they ask for. */
export interface Scenery {
  keys: Readonly<Record<Plane, string | undefined>>
  /** By the name of a path parameter or a field. */
  values: ReadonlyMap<string, string>
  /** By the name of a path parameter whose name is something else in a body. */
  inPaths: ReadonlyMap<string, string>
}

const Created = z.object({
  runtimeId: z.string(),
  projectId: z.string(),
  deployKey: z.string(),
  publicKey: z.string(),
})
const Called = z.object({ executionId: z.string() })
const AccountKey = z.object({ keyId: z.string() })

const MAX_TRIES = 10
const RETRY_MS = 2_000

export interface Ground {
  apiKey: string
  endpoint: string
  /** The body that deploys, and the capability that it holds. */
  operations: readonly ApiOperation[]
  /** More than is laid here. */
  values: ReadonlyMap<string, string>
  /** Makes names differ from run to run. */
  serial: number
}

/** Registers a runtime, deploys to it and calls it once, so that every id that a path can name is there. */
export async function layScenery(connection: RawConnection, ground: Ground): Promise<Scenery> {
  const { apiKey, endpoint, serial } = ground
  const ask = async (method: string, target: string, key: string | undefined, body?: unknown): Promise<unknown> => {
    const options = { ...(key === undefined ? {} : { key }), ...(body === undefined ? {} : { body }) }
    const exchange = () => connection.exchange(toBytes(jsonRequest(method, target, options)))
    let heard = await exchange()
    // A deployment waits for those of the same account, of which broken ones take until their bodies are given up.
    for (let tries = 1; tries < MAX_TRIES && heard.kind === 'answer' && heard.answer.status === 429; tries += 1) {
      await delay(RETRY_MS)
      heard = await exchange()
    }
    // The endpoint fails now and then: an execution it is all the same.
    if (heard.kind !== 'answer' || (heard.answer.status >= 300 && heard.answer.status !== 502)) {
      throw new Error(`${method} ${target}: ${heard.kind === 'answer' ? heard.answer.body : heard.kind}`)
    }
    return JSON.parse(heard.answer.body)
  }
  const runtime = Created.parse(await ask('POST', '/v1/runtimes', apiKey, { name: `Fuzzed ${serial}`, endpoint }))
  const { keyId } = AccountKey.parse(await ask('POST', '/v1/account/keys', apiKey, { name: `Fuzzed ${serial}` }))
  const capability = capabilityOf(ground.operations)
  await ask('POST', '/v1/deployments', runtime.deployKey, { manifest: manifestWith(capability) })
  const path = `/v1/capabilities/${runtime.runtimeId}/${capability}`
  const { executionId } = Called.parse(await ask('POST', path, undefined, { input: {} }))
  // Of projects an account can have a hundred, and good requests make some of their own.
  const { runtimeId, projectId, deployKey, publicKey } = runtime
  return {
    keys: { public: undefined, accountKey: apiKey, deployKey, publicKey },
    values: new Map([
      ...ground.values,
      ...Object.entries({ runtimeId, projectId, executionId, capability, keyId, endpoint }),
    ]),
    inPaths: new Map([['version', '1']]),
  }
}

/** A documented body with the caller's own ids in the place of the example's. */
export function ownBody(example: unknown, scenery: Scenery): unknown {
  if (Array.isArray(example)) return example.map((item) => ownBody(item, scenery))
  if (!isJsonObject(example)) return example
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? (scenery.values.get(name) ?? value) : ownBody(value, scenery),
    ]),
  )
}

/** The operation's path with the caller's ids. */
export function ownPath({ path, operationId }: ApiOperation, scenery: Scenery): string {
  return fillPath(path, scenery, operationId)
}

/** A path with the caller's ids. Throws where nothing is known that could stand for a parameter. */
export function fillPath(path: string, { inPaths, values }: Scenery, route: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = inPaths.get(name) ?? values.get(name)
    if (value === undefined) throw new Error(`nothing to put for {${name}} of ${route}: extend the scenery`)
    return value
  })
}

// The name that the examples call, so that they call something.
function capabilityOf(operations: readonly ApiOperation[]): string {
  const call = operations.find(({ operationId }) => operationId === 'callOwnCapability')
  return z.object({ capability: z.string() }).parse(call?.example).capability
}

function manifestWith(name: string) {
  const action = { name, inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
  return {
    schemaVersion: 2,
    website: { name: 'Shop', url: 'https://shop.example.com' },
    capabilities: [{ name, version: '1.0.0', description: 'Answers.', actions: [action] }],
  }
}
