import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { type Scene, setScene, useScene } from '../support/scene.ts'
import { BODY_ROUTES, type BodyRoute, fieldAt, requestTo, withField } from './body-routes.ts'

const OTHER_THAN: Readonly<Record<BodyRoute['fields'][string], readonly unknown[]>> = {
  string: [null, 0, 1.5, true, [], ['x'], {}],
  'string or null': [0, 1.5, true, [], ['x'], {}],
  object: [null, 0, 'x', '', true, [], [{}]],
  array: [null, 0, 'x', true, {}, { 0: {}, length: 1 }],
  boolean: [null, 0, 1, 'true', '', [], {}],
  number: [null, '2', true, [], [2], {}],
  'number or null': ['2', '', true, [], [2], {}],
}

const BAD_TEXTS = [
  ['NUL', 'a\0b', 'NUL'],
  ['NUL alone', '\0', 'NUL'],
  ['first half of a pair', 'shoe \ud83d', 'surrogate'],
  ['second half of a pair', '\ude00 shoe', 'surrogate'],
  ['a pair the wrong way round', '\ude00\ud83d', 'surrogate'],
] as const

// Bodies are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'a body with a bad field', (engine) => {
  const database = useDatabase(engine)
  /** What is refused changes nothing: a route that lets a bad body through breaks the tests of the next ones. */
  const refusing = useScene(database, { tier: 'enterprise' })

  describe.each(BODY_ROUTES)('$method $path', (route) => {
    // holds CAP-08, ERR-04, EXE-01
    test('a field of another type is named by its dotted path', async () => {
      const scene = refusing()
      const cases = Object.entries(route.fields).flatMap(([path, type]) =>
        OTHER_THAN[type].map((value): BadField => ({ path, value, named: path })),
      )
      expect(cases.length).toBeGreaterThan(5)
      await expectNamed(route, scene, cases)
    })

    // holds CFG-07, REG-02
    test('a required field that is missing is named', async () => {
      const scene = refusing()
      const cases = route.required.map((path): BadField => ({ path, value: undefined, named: path }))
      await expectNamed(route, scene, cases)
      const named = Object.keys(route.required.length > 0 ? faultsIn(await sendTo(route, scene, {})) : {})
      expect(named.sort()).toEqual(route.required.filter((path) => !path.includes('.')).sort())
    })

    // holds CFG-07, DEP-09, REG-06, SVC-01
    test('an unknown field is refused if the interface is strict, and ignored elsewhere', async () => {
      const scene = route.strict.length > 0 ? refusing() : await setScene(database(), { tier: 'pro' })
      const names = ['surprise', 'Name', 'constructor', 'toString', 'hasOwnProperty', '', 'a.b']
      const paths = route.strict.flatMap((path) => names.map((name) => (path === '' ? name : `${path}.${name}`)))
      const cases = route.strict.flatMap((path) =>
        names.map((name): BadField => {
          const owner = fieldAt(route.body(scene), path)
          const value = { ...(typeof owner === 'object' ? owner : {}), [name]: 1 }
          return { path, value, named: path === '' ? name : `${path}.${name}` }
        }),
      )
      expect(cases.map(({ named }) => named)).toEqual(paths)
      await expectNamed(route, scene, cases)
      if (route.strict.length > 0) return
      const answer = await sendTo(route, scene, { ...route.body(scene), surprise: 1, model: 'x', tier: 'enterprise' })
      expect(answer.statusCode).toBe(200)
    })

    // holds ERR-14
    test('a text with a NUL or a lone surrogate is refused, and the field named', async () => {
      const scene = refusing()
      const texts = Object.entries(route.fields).filter(([, type]) => type.startsWith('string'))
      const free = Object.entries(route.fields).filter(
        ([path, type]) => type === 'object' && /metadata|input$/.test(path),
      )
      const cases = BAD_TEXTS.flatMap(([, text, message]) => [
        ...texts.map(([path]): BadField => ({ path, value: text, named: path, message })),
        ...free.map(([path]): BadField => ({ path, value: { note: [text] }, named: `${path}.note.0`, message })),
        ...free.map(([path]): BadField => ({ path, value: { [text]: 1 }, named: path, message })),
      ])
      expect(cases).toHaveLength(BAD_TEXTS.length * (texts.length + 2 * free.length))
      await expectNamed(route, scene, cases)
    })

    test('an empty body is refused for its missing required fields alone', async () => {
      const isRefused = route.required.length > 0 || route.needsOne === true
      const scene = isRefused ? refusing() : await setScene(database(), { tier: 'pro' })
      if (!isRefused) await route.prepare?.(scene)
      const json = { 'content-type': 'application/json' }
      for (const [payload, headers] of [
        ['', json],
        ['', {}],
        [' \n\t', json],
      ] as const) {
        expectAnswerToNothing(route, await scene.service.inject(requestTo(route, scene, payload, headers)))
      }
    })
  })
})

function expectAnswerToNothing(route: BodyRoute, answer: LightMyRequestResponse): void {
  const wanted = route.required.filter((path) => !path.includes('.')).sort()
  if (route.needsOne) expect(Object.keys(faultsIn(answer))).toEqual(['body'])
  // The second one finds nothing left to delete.
  else if (wanted.length === 0) expect([200, 404]).toContain(answer.statusCode)
  else expect(Object.keys(faultsIn(answer)).sort()).toEqual(wanted)
}

interface BadField {
  path: string
  value: unknown
  named: string
  message?: string
}

/** Sends bodies that are good but for one field and expects each to be named, and nothing to be charged. */
async function expectNamed(route: BodyRoute, scene: Scene, cases: readonly BadField[]): Promise<void> {
  const before = await scene.charged()
  for (const { path, value, named, message = '' } of cases) {
    const answer = await sendTo(route, scene, withField(route.body(scene), path, value))
    const sent = `${path} = ${JSON.stringify(value)}`
    const faults = new Map(Object.entries(faultsIn(answer)))
    expect([sent, [...faults.keys()]]).toEqual([sent, expect.arrayContaining([named])])
    expect([sent, faults.get(named)]).toEqual([sent, expect.arrayContaining([expect.stringContaining(message)])])
  }
  expect(await scene.charged()).toEqual(before)
}

function sendTo(route: BodyRoute, scene: Scene, body: unknown) {
  return scene.service.inject(requestTo(route, scene, JSON.stringify(body)))
}
