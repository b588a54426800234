import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { errorOf, faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { collectRoutes } from '../support/routes.ts'
import { type Scene, setScene, useScene } from '../support/scene.ts'
import { startService } from '../support/service.ts'
import { BODY_ROUTES, type BodyRoute, requestTo, withField } from './body-routes.ts'

const MIB = 1_048_576

type BadBody = [name: string, payload: string | Buffer, headers?: Record<string, string>]

// Bodies are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'an unreadable body', (engine) => {
  const database = useDatabase(engine)
  /** One scene for all routes. A refused request changes nothing; one that is let through breaks the next tests. */
  const refusing = useScene(database, { tier: 'enterprise' })

  test('is tried on every route that takes a body', async () => {
    const service = await startService(database())
    const routes = await collectRoutes(service.app)
    await service.close()
    // JSON-RPC has errors of its own, which the tests of MCP hold.
    const ours = routes.filter(({ takesBody, path }) => takesBody && !path.startsWith('/v1/mcp/'))
    const taking = ours.map(({ method, path }) => `${method} ${path}`)
    expect(taking.sort()).toEqual(BODY_ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
  })

  describe.each(BODY_ROUTES)('$method $path', (route) => {
    // holds ERR-03, ERR-05, ERR-09
    test('malformed JSON, another content type and non-objects are refused as faults of the body', async () => {
      const scene = refusing()
      await expectRefusals(route, scene, [
        ...malformed(goodBody(route, scene)),
        ...ofAnotherType(goodBody(route, scene)),
      ])
    })

    // holds DEP-17, ERR-09, LIM-10
    test('a body over the size limit is refused with or without its length; one of exactly that size is accepted', async () => {
      const scene = await setScene(database())
      await route.prepare?.(scene)
      const { maxBodyBytes = MIB } = route
      const good = goodBody(route, scene)
      const padded = (bytes: number) => good + ' '.repeat(bytes - Buffer.byteLength(good))
      const untold = () => Readable.from([Buffer.from(padded(maxBodyBytes)), Buffer.from(' ')])
      for (const payload of [padded(maxBodyBytes + 1), padded(3 * MIB), untold()]) {
        const answer = await scene.service.inject(requestTo(route, scene, payload))
        expect(faultsIn(answer)).toEqual({ body: [expect.stringContaining(` ${maxBodyBytes} bytes`)] })
      }
      const largest = await scene.service.inject(requestTo(route, scene, padded(maxBodyBytes)))
      expect(largest.statusCode).toBeLessThan(300)
    })

    // holds DEP-17, LIM-10
    test('a body of 33 levels is refused for its depth, one of 32 is not', async () => {
      const scene = refusing()
      const deep = (levels: number) => `{"metadata":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
      const bodies: BadBody[] = [
        ['33 levels', deep(33)],
        ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
        ['100,000 levels', deep(100_000)],
        ['half a million levels that never end', '['.repeat(500_000)],
      ]
      const taken = bodies.filter(([, payload]) => payload.length <= (route.maxBodyBytes ?? MIB))
      await expectRefusals(route, scene, taken, '32 levels')
      const deepest = await scene.service.inject(requestTo(route, scene, deep(32)))
      expect(deepest.body).not.toContain('levels')
      const text = await scene.service.inject(requestTo(route, scene, JSON.stringify({ metadata: '[{'.repeat(50) })))
      expect(text.body).not.toContain('levels')
    })

    // holds ERR-14
    test('the key “__proto__” is refused at any place and in any spelling', async () => {
      const scene = refusing()
      const bodies: BadBody[] = [
        ['at the top', '{"__proto__":{"isAdmin":true}}'],
        ['in an array', '{"messages":[{"__proto__":1}]}'],
        ['escaped', '{"metadata":{"\\u005f_proto_\\u005f":{}}}'],
        ['in a good body', `{"__proto__":{},${goodBody(route, scene).slice(1)}`],
      ]
      await expectRefusals(route, scene, bodies, '__proto__')
      expect(Object.prototype).not.toHaveProperty('isAdmin')
    })

    test('a body with many faults is answered with a short list of them', async () => {
      const scene = refusing()
      const list = `[${'0,'.repeat(400_000)}0]`
      const bodies = Object.entries(route.fields)
        .filter(([path, type]) => type === 'array' && !path.includes('.actions'))
        .map(([path]) => JSON.stringify(withField(route.body(scene), path, '@')).replace('"@"', list))
      const members = Array.from({ length: 50_000 }, (_, index) => `"k${index}":1`).join(',')
      for (const payload of [...bodies, `{${members}}`]) {
        const answer = await scene.service.inject(requestTo(route, scene, payload))
        expect(answer.statusCode).toBeLessThan(500)
        expect(answer.rawPayload.length).toBeLessThan(64 * 1024)
        if (answer.statusCode >= 300) errorOf(answer)
      }
    }, 60_000)
  })
})

/** Sends bad bodies and expects the fault of each to stand under `body`, and nothing to be charged. */
async function expectRefusals(route: BodyRoute, scene: Scene, bodies: BadBody[], message = ''): Promise<void> {
  const before = await scene.charged()
  for (const [name, payload, headers] of bodies) {
    const answer = await scene.service.inject(requestTo(route, scene, payload, headers))
    expect({ name, faults: faultsIn(answer) }).toEqual({ name, faults: { body: [expect.stringContaining(message)] } })
  }
  expect(await scene.charged()).toEqual(before)
}

function goodBody(route: BodyRoute, scene: Scene): string {
  return JSON.stringify(route.body(scene))
}

function malformed(good: string): BadBody[] {
  const json = { 'content-type': 'application/json' }
  return [
    ['words', 'hello'],
    ['truncated', good.slice(0, -1)],
    ['truncated in the middle', good.slice(0, good.length / 2)],
    ['followed by more', `${good}}`],
    ['two of them', good + good],
    ['single quotes', good.replaceAll('"', "'")],
    ['trailing comma', `${good.slice(0, -1)},}`],
    ['comment', `/* hi */${good}`],
    ['byte order mark', `\uFEFF${good}`],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ],
    ['half a UTF-8 character', Buffer.from('{"name":"é"}').subarray(0, 10)],
    ['a line break in a string', '{"name":"a\nb"}'],
    ['a raw NUL in a string', '{"name":"a\0b"}'],
    ['NaN', '{"name":NaN}'],
    ['form', 'name=Shop&version=1.0.0'],
    ['compressed', gzipSync(good), { ...json, 'content-encoding': 'gzip' }],
    ['a number', '1'],
    ['a string', '"x"'],
    ['true', 'true'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an array of it', `[${good}]`],
  ]
}

function ofAnotherType(good: string): BadBody[] {
  const types = [
    'text/plain',
    'text/plain; charset=application/json',
    'text/json',
    'application/xml',
    'application/jsonp',
    'application/json-seq',
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/octet-stream',
    'application',
    'json',
    'application/json application/json',
    'text/plain, application/json',
    '',
  ]
  const typed = types.map((type): BadBody => [`as “${type}”`, good, { 'content-type': type }])
  return [
    ...typed,
    ['as a form', 'name=Shop', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['without a type', good, {}],
  ]
}
