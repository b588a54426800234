import type { Random } from '../../support/random.ts'
import type { Manner } from '../support/judge-answer.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import { jsonRequest, type RawRequest } from '../support/raw-request.ts'
import type { ApiOperation } from './api-operations.ts'
import { ownBody, ownPath, type Scenery } from './scenery.ts'

/** What is attacked: one route behind one kind of credential, and what a good request to it is. */
export interface Target {
  /** Unique in a run. */
  name: string
  port: number
  queryParameters: readonly string[]
  /** How its answers have to look. */
  manner: Manner
  mayFailAsCapability: boolean
  /** Its credential is a cookie, which a browser sends whoever's page has asked. */
  isByCookie: boolean
  request(scenery: Scenery, random: Random): RawRequest
  /** Told of each answer and of what was sent, mutated as it was, where the next request depends on it. */
  hear?(request: RawRequest, answer: RawAnswer): void
}

/** The operations of the description, each with the credential that it names. */
export function apiTargets(operations: readonly ApiOperation[], port: number): Target[] {
  return operations.map((operation) => ({
    ...ofOperation(operation, port),
    name: operation.operationId,
    isByCookie: false,
    request(scenery, random) {
      const key = random.chance(0.85) ? scenery.keys[operation.plane] : drawKey(scenery, random)
      return goodRequest(operation, scenery, key === undefined ? {} : { key })
    },
  }))
}

export function ofOperation({ operationId, queryParameters }: ApiOperation, port: number) {
  return {
    port,
    queryParameters,
    manner: 'envelope',
    mayFailAsCapability: operationId === 'callCapability',
  } as const
}

/** A request as the description has it, with the caller's own ids. */
export function goodRequest(
  operation: ApiOperation,
  scenery: Scenery,
  credential: { key?: string; headers?: RawRequest['headers'] },
): RawRequest {
  const { method, example } = operation
  const body = example === undefined ? {} : { body: ownBody(example, scenery) }
  return jsonRequest(method, ownPath(operation, scenery), { ...credential, ...body })
}

/** A credential of another plane, none, or one that never was. */
function drawKey({ keys }: Scenery, random: Random): string | undefined {
  const { accountKey, deployKey, publicKey } = keys
  const cut = accountKey?.slice(0, -1)
  return random.pick([undefined, accountKey, deployKey, publicKey, cut, `${deployKey}x`, 'x', 'svc_ak_', 'a b'])
}
