import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { startControlPlane } from './support/fake-control-plane.ts'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const RUNTIME = `
import { CapabilityError, defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'

const weather = defineCapability({
  name: 'get-weather',
  version: '1.0.0',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.enum(['Oslo', 'Rome']).describe('The city.'), days: z.number().optional() }),
  output: z.object({ city: z.string(), sky: z.string() }),
  handler: ({ city }) => {
    if (city === 'Rome') throw new CapabilityError('Rome is not measured.')
    return { city, sky: 'cloudy' }
  },
})
const cart = defineCapability({
  name: 'view-cart',
  version: '1.0.0',
  requiresEndUser: true,
  handler: (_input, { endUserToken }) => ({ of: endUserToken }),
})
const order = defineCapability({ name: 'place-order', version: '1.0.0', confirm: true, handler: () => ({ placed: true }) })
export default defineRuntime({ capabilities: [weather, cart, order] })
`
const KEY_BODY = 'svc_pk_0123456789abcdefghijklmnopqrstuv'
const PUBLIC_KEY = KEY_BODY + keyChecksum(KEY_BODY)

/** The example of the page of tests, with the answer of the mock. */
const WEATHER = (sky = 'clear') => `
name: weather
mocks:
  get-weather: { output: { city: Oslo, sky: ${sky} } }
turns:
  - user: What is the weather in Oslo?
    model: [{ call: get-weather, input: { city: Oslo } }, { say: It is clear over Oslo. }]
    expect:
      calls: [{ capability: get-weather, input: { city: Oslo }, output: { sky: clear }, times: 1 }]
      answer: { contains: clear }
`

const FILES = { 'svc.config.ts': 'export default {}', '.svc/runtime.ts': RUNTIME }
const projectWith = (tests: Record<string, string>) => createProject({ ...FILES, ...tests })
const svcTest = (folder: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  runSvc(folder, ['test', ...args], { env })
/** What comes of one file. */
const play = (yaml: string, env: Record<string, string> = {}) =>
  svcTest(projectWith({ 'a.svc-test.yaml': yaml }), [], env)
const turn = (lines: string, user = 'Hello') =>
  `turns:\n  - user: ${user}\n    ${lines.trim().replaceAll('\n', '\n    ')}\n`

describe('a test that passes', () => {
  test('is found below the project’s folder, and is told in one line', async () => {
    const folder = projectWith({ 'tests/deep/weather.svc-test.yaml': WEATHER(), 'node_modules/x.svc-test.yaml': '{' })
    expect(await svcTest(folder)).toMatchObject({
      exitCode: 0,
      stdout: '✔ weather  tests/deep/weather.svc-test.yaml  0 ms\n✔ 1 test passed.\n',
      stderr: '',
    })
  })

  test('calls the project’s own code where there is no mock, as a signed call would', async () => {
    const yaml = turn(`
model:
  - calls:
      - { call: get-weather, input: { city: Oslo } }
      - { call: get-weather, input: { city: Rome } }
      - { call: get-weather, input: { city: Paris } }
      - { call: view-cart }
  - say: Done.
expect:
  calls:
    - { capability: get-weather, output: { exact: { city: Oslo, sky: cloudy } } }
    - { capability: get-weather, error: { equals: Rome is not measured. } }
    - { capability: get-weather, input: { exact: { city: Paris } }, error: { contains: does not fit the schema } }
    - { capability: view-cart, output: { of: session-of-alice } }
  inOrder: true
  answer: { matches: '^Done\\.$' }`)
    expect(await play(yaml, { SVC_END_USER_TOKEN: 'session-of-alice' })).toMatchObject({ exitCode: 0 })
  })

  test('lets a call that a person approves wait, unless the turn approves it', async () => {
    const yaml = `turns:
  - user: Order it.
    model: [{ call: place-order }]
    expect: { finishReason: approval_required, calls: [{ capability: place-order, error: { contains: has to approve } }] }
  - user: Order it now.
    approve: true
    model: [{ call: place-order }, { say: Placed. }]
    expect: { calls: [{ capability: place-order, output: { placed: true } }] }
`
    expect(await play(yaml)).toMatchObject({ exitCode: 0 })
  })

  test('may have the demo model choose', async () => {
    const yaml = `model: demo\n${turn('expect: { calls: [{ capability: get-weather, input: { city: Oslo } }], answer: { contains: cloudy } }', 'What is the weather in Oslo?')}`
    expect(await play(yaml)).toMatchObject({ exitCode: 0 })
  })

  test('runs through the service with the public key, the turns before it sent along', async () => {
    const answered = (content: string) => ({
      ...{ executionId: 'exec_1', status: 'completed', finishReason: 'stop' },
      ...{ inputTokens: 0, outputTokens: 0, totalTokens: 0, durationMs: 1 },
      messages: [{ role: 'assistant', parts: [{ type: 'text', content }] }],
    })
    const { url, requests } = await startControlPlane({
      'POST /v1/runtime/execute': { status: 200, body: answered('Good day.') },
    })
    const yaml = `model: service\n${turn('expect: { answer: { equals: Good day. }, calls: [] }')}${turn('expect: { answer: { contains: day } }', 'Again').replace('turns:\n', '')}`
    expect(await play(yaml, { SVC_BASE_URL: url, SVC_PUBLIC_KEY: PUBLIC_KEY })).toMatchObject({ exitCode: 0 })
    expect(requests.map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${PUBLIC_KEY}`))
    expect(requests[1]?.body).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] })
    expect(await play(yaml, { SVC_BASE_URL: url })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('SVC_PUBLIC_KEY'),
    })
  })

  test('may be TypeScript of the same shape, a list too', async () => {
    const source = `import { defineTest } from '@svc/sdk/testing'
const one = (city: 'Oslo' | 'Rome') => defineTest({
  name: city,
  mocks: { 'get-weather': [{ input: { city: 'Rome' }, error: 'no' }, { output: { city, sky: 'clear' } }] },
  turns: [{ user: 'x', model: [{ say: 'I look.', call: 'get-weather', input: { city } }, { say: 'Well.' }],
    expect: { answer: { equals: 'I look.\\nWell.' } } }],
})
export default [one('Oslo')]`
    const folder = projectWith({ 'list.svc-test.ts': source })
    expect(await svcTest(folder)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('mocks.get-weather.0') })
    const mended = projectWith({ 'list.svc-test.ts': source.replace("{ input: { city: 'Rome' }, error: 'no' }, ", '') })
    expect(await svcTest(mended)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('✔ Oslo') })
  })
})

describe('a test that fails', () => {
  test('shows the conversation, what was expected, what was called, and the difference', async () => {
    const { exitCode, stdout, stderr } = await play(WEATHER('foggy'))
    expect(exitCode).toBe(1)
    expect(stderr).toBe('✖ 1 of 1 test failed.\n')
    expect(stdout).toBe(`✖ weather  a.svc-test.yaml  0 ms
    user       What is the weather in Oslo?
    call       get-weather {"city":"Oslo"}
    result     {"city":"Oslo","sky":"foggy"}
    assistant  It is clear over Oslo.
  a.svc-test.yaml:9  turns.0.expect.calls.0
    expected  get-weather {"city":"Oslo"} → {"sky":"clear"}, once
    was       get-weather {"city":"Oslo"} → {"city":"Oslo","sky":"foggy"}
              output.sky: expected "clear", was "foggy"
`)
  })

  test.each([
    [
      'a call that was not made',
      'model: [{ say: Hi. }]\nexpect: { calls: [{ capability: get-weather }] }',
      'was       no call',
    ],
    [
      'a call too many',
      'model: [{ call: get-weather, input: { city: Oslo } }, { say: Hi. }]\nexpect: { calls: [] }',
      'expected  no call',
    ],
    [
      'another answer',
      'model: [{ say: Hi. }]\nexpect: { answer: { contains: Bye } }',
      'expected  a text that contains “Bye”',
    ],
    [
      'a script that is too long',
      'model: [{ say: Hi. }, { say: Ho. }]\nexpect: { calls: [] }',
      '1 of its 2 steps under model not used',
    ],
    [
      'a script that is too short',
      'model: [{ call: get-weather, input: { city: Oslo } }]\nexpect: { calls: [{ capability: get-weather }] }',
      'The script has no further step',
    ],
    ['another end', 'model: [{ say: Hi. }]\nexpect: { finishReason: length }', 'was       stop'],
  ])('says so of %s', async (_, lines, words) => {
    expect(await play(turn(lines))).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(words) })
  })

  test('is one whose call fits no mock, or whose mock answers no call', async () => {
    const yaml = WEATHER().replace('{ output:', '{ input: { city: Rome }, output:')
    const { exitCode, stdout } = await play(yaml)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('No mock of “get-weather” fits this input: {"city":"Oslo"}')
    const unused = await play(WEATHER().replace('mocks:', 'mocks:\n  view-cart: { output: 1 }'))
    expect(unused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('a.svc-test.yaml:4  mocks.view-cart') })
  })

  test('shows no end user’s token, and where the code threw on stderr', async () => {
    const runtime = RUNTIME.replace('({ of: endUserToken })', "{ throw new Error('no session ' + endUserToken) }")
    const yaml = turn(
      'model: [{ call: view-cart, input: { note: session-of-alice } }, { say: session-of-alice }]\nexpect: { calls: [] }',
    )
    const folder = createProject({ ...FILES, '.svc/runtime.ts': runtime, 'a.svc-test.yaml': yaml })
    for (const args of [['--json', '--junit', 'out.xml'], []]) {
      const { stdout, stderr } = await svcTest(folder, args, { SVC_END_USER_TOKEN: 'session-of-alice' })
      expect(stderr).toContain('no session [')
      expect(stdout + stderr).not.toContain('session-of-alice')
    }
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).not.toContain('session-of-alice')
  })

  test('shows no start of an end user’s token where a value is cut', async () => {
    const note = `${'x'.repeat(283)}session-of-alice`
    const yaml = turn(
      `model: [{ call: view-cart, input: { note: ${note} } }, { say: x }]
expect: { calls: [{ capability: view-cart, input: { note: ${note}, more: 1 } }] }`,
    )
    const unfit = `mocks: { view-cart: { input: { more: 1 }, output: 1 } }\n${yaml}`
    const folder = projectWith({ 'a.svc-test.yaml': yaml, 'b.svc-test.yaml': unfit })
    for (const args of [['--json', '--junit', 'out.xml'], []]) {
      const { exitCode, stdout } = await svcTest(folder, args, { SVC_END_USER_TOKEN: 'session-of-alice' })
      expect([exitCode, stdout.includes('xsession')]).toEqual([1, false])
    }
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).not.toContain('xsession')
  })
})

describe('a file with faults', () => {
  test('keeps every test from being played, and is told by line, field and mend', async () => {
    const faulty = `nmae: bad
model: scripted
mocks:
  get-wether: { output: 1 }
turns:
  - user: 7
    model: [{ say: x }]
  - user: x
    expect: { answer: { matches: '(' } }
`
    const unknown = turn('model: [{ call: get-wether }]\nexpect: { calls: [{ capability: place-odrer }] }')
    const folder = projectWith({ 'a.svc-test.yaml': faulty, 'b.svc-test.yaml': unknown, 'c.svc-test.yaml': 'turns: [' })
    const { exitCode, stdout, stderr } = await svcTest(folder)
    expect([exitCode, stdout]).toEqual([3, ''])
    expect(stderr.split('\n').map((line) => line.trim())).toEqual([
      '✖ Nothing was played: the tests have faults.',
      'a.svc-test.yaml:1  nmae is not a known field. Did you mean name?',
      'a.svc-test.yaml:6  turns.0.user must be a text, not a number.',
      expect.stringMatching(
        /^a\.svc-test\.yaml:6 {2}turns\.0\.expect is missing: a turn without an expectation tests nothing/,
      ),
      'a.svc-test.yaml:9  turns.1.expect.answer.matches must be a regular expression.',
      expect.stringMatching(
        /^b\.svc-test\.yaml:3 {2}turns\.0\.model\.0\.call names “get-wether”.*Did you mean get-weather\?$/,
      ),
      expect.stringMatching(
        /^b\.svc-test\.yaml:4 {2}turns\.0\.expect\.calls\.0\.capability names “place-odrer”.*Did you mean place-order\?$/,
      ),
      expect.stringMatching(/^c\.svc-test\.yaml:1 {2}YAML is not valid: /),
      '',
    ])
  })

  test.each([
    ['an alias without an anchor', 'turns: *foo', 'Unresolved alias'],
    [
      'an alias of what it is a part of',
      `mocks: { view-cart: &all { output: [*all] } }\n${turn('expect: {}')}`,
      'circular',
    ],
    [
      'aliases that grow without end',
      `a: &a [1, 1]\nb: &b [${Array(10).fill('*a')}]\nc: &c [${Array(10).fill('*b')}]\nd: [${Array(10).fill('*c')}]`,
      'Excessive alias count',
    ],
  ])('may have %s, which is one fault of the file', async (_, yaml, words) => {
    const { exitCode, stderr } = await play(yaml)
    expect([exitCode, stderr.match(/a\.svc-test\.yaml {2}YAML is not valid: .*/g)]).toEqual([
      3,
      [expect.stringContaining(words)],
    ])
  })

  test.each([
    [
      'a mock of what the service calls',
      `model: service\nmocks: { get-weather: { output: 1 } }\n${turn('expect: { calls: [] }')}`,
      'mocks are not for the model service',
    ],
    [
      'a script for another model',
      `model: demo\n${turn('model: [{ say: x }]\nexpect: { calls: [] }')}`,
      'is for scripted tests',
    ],
    ['a scripted model without a script', turn('expect: { calls: [] }'), 'turns.0.model is missing'],
    ['an expectation of nothing', turn('model: [{ say: x }]\nexpect: { inOrder: true }'), 'expects nothing'],
    [
      'a mock of two kinds',
      `mocks: { get-weather: { output: 1, error: x } }\n${turn('model: [{ say: x }]\nexpect: { calls: [] }')}`,
      'must have output or error',
    ],
  ])('may have %s', async (_, yaml, words) => {
    expect(await play(yaml)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(words) })
  })
})

test('no test is wrong usage, with an example; so is a file that is none', async () => {
  const folder = projectWith({ 'notes.yaml': '' })
  expect(await svcTest(folder)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('user: What does') })
  expect(await svcTest(folder, ['notes.yaml'])).toMatchObject({ exitCode: 2 })
  expect(await svcTest(folder, ['gone.svc-test.yaml'])).toMatchObject({ exitCode: 2 })
})

test('--json and --junit tell the same', async () => {
  const folder = projectWith({ 'a.svc-test.yaml': WEATHER(), 'b.svc-test.yaml': WEATHER('<"foggy">') })
  const { stdout, exitCode } = await svcTest(folder, ['--json', '--junit', 'out.xml'])
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { kind: 'failure', message: '1 of 2 tests failed.' },
    passed: 1,
    failed: 1,
    tests: [
      { name: 'weather', file: 'a.svc-test.yaml', ok: true, failures: [] },
      {
        ok: false,
        turns: [{ user: 'What is the weather in Oslo?', finishReason: 'stop', error: null }],
        failures: [
          {
            ...{ field: 'turns.0.expect.calls.0', line: 9 },
            differences: [{ path: 'output.sky', expected: 'clear', actual: '<"foggy">' }],
          },
        ],
      },
    ],
  })
  const xml = readFileSync(join(folder, 'out.xml'), 'utf8')
  expect(xml).toContain('<testsuites name="svc test" tests="2" failures="1"')
  expect(xml).toContain('<testcase name="weather" classname="a.svc-test.yaml"')
  expect(xml).toContain('was &quot;&lt;\\&quot;foggy\\&quot;&gt;&quot;')
})
