import { RevealedKey, RevokedKey, RotatedKey, RotatedSecret, type RuntimeKeyType } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { Scene } from './scene.ts'

/** What an owner does with a runtime's keys and secret, through one service. Each answer must be 200. */
export function keyring({ service, owner, runtime }: Pick<Scene, 'service' | 'owner' | 'runtime'>) {
  const ask = async (action: string, body?: object) => {
    const url = `/v1/runtimes/${runtime.runtimeId}/${action}`
    const answer = await service.send('POST', url, { key: owner.apiKey, ...(body && { body }) })
    expect([action, answer.statusCode, answer.headers['cache-control']]).toEqual([action, 200, 'no-store'])
    return answer
  }
  return {
    reveal: async (type: RuntimeKeyType) => exactly(RevealedKey, await ask('reveal-key', { type })),
    rotate: async (type: RuntimeKeyType, graceSeconds?: number) =>
      exactly(RotatedKey, await ask('rotate-key', { type, ...(graceSeconds !== undefined && { graceSeconds }) })),
    revoke: async (type: RuntimeKeyType) => exactly(RevokedKey, await ask('revoke-key', { type })),
    rotateSecret: async (graceSeconds?: number) =>
      exactly(RotatedSecret, await ask('rotate-secret', graceSeconds === undefined ? undefined : { graceSeconds })),
  }
}

/** The statuses with which the routes of a key's plane answer it. */
export async function statusesOf(scene: Scene, type: RuntimeKeyType, key: string): Promise<number[]> {
  const { service, execute, call } = scene
  const answers =
    type === 'public'
      ? [await execute(undefined, { key }), await call({ capability: 'echo' }, { key })]
      : [
          await service.deploy({ ...scene.runtime, deployKey: key }),
          await service.send('GET', '/v1/runtime/status', { key }),
          await service.send('POST', '/v1/runtime/heartbeat', { key }),
        ]
  return answers.map(({ statusCode }) => statusCode)
}

/** What {@link statusesOf} gives for a key that works, and for one that does not. */
export const WORKS: Readonly<Record<RuntimeKeyType, number[]>> = { public: [200, 200], deploy: [201, 200, 200] }
export const REFUSED: Readonly<Record<RuntimeKeyType, number[]>> = { public: [401, 401], deploy: [401, 401, 401] }

/** The body as the schema reads it, which must be all of it. */
function exactly<T>(schema: { parse(value: unknown): T }, answer: LightMyRequestResponse): T {
  const sent: unknown = answer.json()
  const body = schema.parse(sent)
  expect(sent).toEqual(body)
  return body
}
