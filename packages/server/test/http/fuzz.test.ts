import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../support/answers.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { setScene, useScene } from '../support/scene.ts'
import { BODY_ROUTES, requestTo, withField } from './body-routes.ts'

const SEED = 20_260_301
const RUNS = 40
const LEAKS =
  /\bat \S+ \(|node_modules|\.[jt]s:\d|\/(?:home|work|tmp|usr)\/|select .* from|insert into|sqlite|postgres|constraint|ECONN|ENOENT|TypeError|RangeError|SyntaxError|undefined is not|Cannot read/i

const SPECIAL_TEXTS = [
  '',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  '../..',
  "'; drop table runtimes --",
  '{{7*7}}',
  '\u202e',
  '💥',
  'a'.repeat(9_000),
]

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...SPECIAL_TEXTS),
)
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 1e308, 2 ** 53, -1))
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  anyText,
  anyNumber,
  fc.dictionary(anyText, fc.jsonValue(), { maxKeys: 4 }),
  fc.array(fc.jsonValue(), { maxLength: 4 }),
)

const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
})

describeEngines('random input', (engine) => {
  const database = useDatabase(engine)

  describe.each(BODY_ROUTES)('$method $path', (route) => {
    // holds ERR-01
    test('a body with fields added, removed and reordered is answered without an internal error', async () => {
      const scene = await setScene(database(), { tier: 'enterprise' })
      const good = route.body(scene)
      const paths = ['', 'surprise', ...Object.keys(route.fields)]
      const change = fc.record({ path: fc.constantFrom(...paths), value: fc.option(anyJson, { nil: undefined }) })
      await check(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const body = changes.reduce((changed: unknown, { path, value }) => withField(changed, path, value), good)
        return scene.service.inject(requestTo(route, scene, JSON.stringify(body) ?? ''))
      })
    })
  })

  test('random addresses are answered without an internal error', async () => {
    const scene = await setScene(database(), { tier: 'enterprise' })
    const keys = [undefined, scene.owner.apiKey, scene.runtime.deployKey, scene.runtime.publicKey]
    const word = fc.oneof(
      anyText.map(encoded),
      fc.constantFrom(
        'v1',
        'runtimes',
        'executions',
        scene.runtime.runtimeId,
        'runtime',
        'manifest',
        'capabilities',
        'echo',
        'status',
      ),
    )
    const parameter = fc.tuple(
      fc.constantFrom('limit', 'cursor', 'status', 'from', 'to', 'projectId', 'x'),
      anyText.map(encoded),
    )
    const address = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      key: fc.constantFrom(...keys),
      start: fc.constantFrom(
        '',
        '/v1/runtimes',
        '/v1/executions',
        '/v1/runtime',
        `/v1/capabilities/${scene.runtime.runtimeId}`,
      ),
      words: fc.array(word, { maxLength: 3 }),
      query: fc.array(parameter, { maxLength: 4 }),
    })
    await check(
      address,
      ({ method, key, start, words, query }) => {
        const url = `${[start, ...words].join('/') || '/'}?${query.map((pair) => pair.join('=')).join('&')}`
        const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
        return scene.service.inject({
          method: method satisfies InjectOptions['method'],
          url: url.startsWith('/') ? url : `/${url}`,
          headers,
        })
      },
      3 * RUNS,
    )
  })
})

// Bytes are read before any store is asked, and no header is stored but as a hash: one engine tells as much as two.
describeEngine('sqlite', 'random bytes and headers', (engine) => {
  const database = useDatabase(engine)

  describe.each(BODY_ROUTES)('$method $path', (route) => {
    const scenes = useScene(database, { tier: 'enterprise' })

    test('a body with bytes changed, dropped and doubled is answered without an internal error', async () => {
      const scene = scenes()
      const good = Buffer.from(JSON.stringify(route.body(scene)))
      const place = fc.record({ at: fc.nat(good.length), drop: fc.nat(8), put: fc.uint8Array({ maxLength: 6 }) })
      await check(fc.array(place, { minLength: 1, maxLength: 4 }), (places) => {
        const bytes = places.reduce(
          (changed, { at, drop, put }) => Buffer.concat([changed.subarray(0, at), put, changed.subarray(at + drop)]),
          good,
        )
        return scene.service.inject(requestTo(route, scene, bytes))
      })
    })

    test('headers of any content are answered without an internal error', async () => {
      const scene = scenes()
      const good = JSON.stringify(route.body(scene))
      const names = [
        'authorization',
        'content-type',
        'origin',
        'accept',
        'x-request-id',
        'if-none-match',
        'content-encoding',
        'idempotency-key',
        'host',
        'cookie',
        'traceparent',
      ]
      await check(
        fc.dictionary(fc.constantFrom(...names), headerText, { minKeys: 1, maxKeys: 4 }),
        (headers) => {
          const request = requestTo(route, scene, good)
          return scene.service.inject({ ...request, headers: { ...request.headers, ...headers } })
        },
        RUNS / 2,
      )
    })
  })
})

async function check<T>(
  arbitrary: fc.Arbitrary<T>,
  send: (value: T) => Promise<LightMyRequestResponse>,
  numRuns = RUNS,
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => expectCivil(await send(value)))
  await fc.assert(property, { seed: SEED, numRuns, endOnFailure: false })
}

/** Whatever the answer is: no fault of ours, no insides of ours, and an error only in the one envelope. */
function expectCivil(answer: LightMyRequestResponse): void {
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
  // The broker's own answer to a capability that failed is the one body without a code.
  if (answer.statusCode === 502) expect(Object.keys(answer.json())).toEqual(['executionId', 'error', 'durationMs'])
  else expect(answer.statusCode).toBeLessThan(500)
  if (answer.statusCode < 400 || answer.statusCode === 502 || answer.payload === '') return
  const { message, details } = errorOf(answer)
  const own = [message, ...Object.values(details?.fieldErrors ?? {}).flat()].map((text) =>
    text.replace(/“.*”|"[^"]*"/gs, ''),
  )
  for (const text of own) expect(text).not.toMatch(LEAKS)
}

function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll('%00', '%20')
}
