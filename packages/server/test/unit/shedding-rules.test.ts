import { describe, expect, test } from 'vitest'
import { LOAD_KINDS, loadKindOf, mayHold, poolOf } from '../../src/load/shedding-rules.ts'

describe('what a request is worth', () => {
  test.each([
    ['GET', '/health', 'health'],
    ['HEAD', '/health', 'health'],
    ['GET', '/', 'health'],
    ['OPTIONS', '/v1/runtime/execute', 'health'],
    ['POST', '/v1/runtime/heartbeat', 'upkeep'],
    ['POST', '/v1/runtimes/:runtimeId/revoke-key', 'upkeep'],
    ['POST', '/v1/account/keys/:keyId/revoke', 'upkeep'],
    ['POST', '/v1/runtime/execute', 'execute'],
    ['POST', '/v1/executions', 'execute'],
    ['POST', '/v1/runtimes', 'execute'],
    ['POST', '/v1/capabilities/:runtimeId/:capability', 'broker'],
    ['GET', '/v1/executions', 'listing'],
    ['GET', '/v1/analytics/summary', 'listing'],
    ['GET', '/v1/nowhere', 'listing'],
    ['GET', '/dashboard', 'listing'],
    ['GET', '/widget.js', 'public'],
    ['HEAD', '/widget.js', 'public'],
    ['GET', '/v1/runtime/:runtimeId/manifest', 'public'],
    ['GET', '/v1/runtime/rt_1/manifest', 'public'],
    ['GET', '/v1/runtime/rt_1/%6danifest', 'listing'],
    ['POST', '/widget.js', 'execute'],
    ['POST', '/v1/runtimes/rt_1/rotate-secret', 'upkeep'],
    ['POST', '/v1/capabilities/rt_1/echo', 'broker'],
    ['GET', '/v1/capabilities/rt_1/echo', 'listing'],
    ['DELETE', '/health', 'execute'],
    ['POST', '/v1/%63apabilities/rt_1/echo', 'broker'],
    ['POST', '/v1/runtime/heartb%65at', 'broker'],
    ['POST', '/v1/runtime/heartbeat#', 'broker'],
    ['POST', 'http://svc.example/v1/capabilities/rt_1/echo', 'broker'],
    ['GET', '/%68ealth', 'listing'],
    ['PUT', '/v1/runtimes/%72t_1', 'execute'],
    ['OPTIONS', '/v1/%63apabilities/rt_1/echo', 'health'],
  ])('%s %s is %s', (method, route, kind) => {
    expect(loadKindOf(method, route)).toBe(kind)
  })

  test('while the service fills up, kinds are refused one after the other', () => {
    const common = LOAD_KINDS.filter((kind) => poolOf(kind) === 'common')
    const refusedAt = (held: number) => common.filter((kind) => !mayHold(kind, held, 100))
    expect(refusedAt(49)).toEqual([])
    expect(refusedAt(50)).toEqual(['listing'])
    expect(refusedAt(80)).toEqual(['listing', 'public', 'broker'])
    expect(refusedAt(100)).toEqual(['listing', 'public', 'broker', 'execute'])
  })

  test('upkeep has a reserve of its own, a quarter as large, and health is never refused', () => {
    expect([poolOf('upkeep'), poolOf('health')]).toEqual(['upkeep', 'health'])
    expect([mayHold('upkeep', 24, 100), mayHold('upkeep', 25, 100)]).toEqual([true, false])
    expect(mayHold('health', 1_000_000, 100)).toBe(true)
  })
})
