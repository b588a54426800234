import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { ERROR_STATUS, ErrorBody } from '@svc/contract'
import {
  createHandler,
  createMemoryEffectStore,
  defineCapability,
  defineRuntime,
  EffectStoreFullError,
  type HandlerOptions,
  NonceStoreFullError,
} from '@svc/sdk'
import { signRequest } from '@svc/sdk/testing'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../packages/server/src/limits.ts'
import { TIERS } from '../../packages/server/src/usage/tiers.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'
import { ROOT } from '../support/source-tree.ts'

const PAGE = 'docs/reference/errors.md'
const page = readFileSync(join(ROOT, PAGE), 'utf8')

/** The rows of the table below the heading whose first cell of the head is this, cell by cell, without code quotes. */
function tableOf(heading: string, firstHead: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const lines = section.split('\n')
  const head = lines.findIndex((line) => line.startsWith(`| ${firstHead} |`))
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'))
  const rows = lines.slice(head + 2, end < 0 ? undefined : end)
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
  )
}

test('the table of codes is the contract’s, each with its status', () => {
  const rows = tableOf('The envelope', 'code').map(([code, status]) => [code, Number(status)])
  expect(rows).toHaveLength(Object.keys(ERROR_STATUS).length)
  expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS)
})

test('the envelope that is shown is one', () => {
  const shown = ErrorBody.strict().parse(JSON.parse(sampleOf(PAGE, 'one form', 'json').code))
  expect(ERROR_STATUS[shown.error.code]).toBe(400)
})

test('the answers that are not about the call are those of the handler, each with its status', async () => {
  const identity = { runtimeId: 'rt_exampleShop', secret: 'the-signing-secret' }
  const answerOf = async (options: Partial<HandlerOptions>, request?: Request) => {
    const handler = createHandler({ runtime: defineRuntime({ capabilities: [] }), ...identity, ...options })
    const response = await handler(request ?? (await signRequest({ ...identity, capability: 'x' })))
    return [z.object({ error: z.string() }).parse(await response.json()).error, response.status]
  }
  const failing = (error: Error) => ({ nonceStore: { claim: () => Promise.reject(error) } })
  const x = defineCapability({ name: 'x', version: '1.0.0', handler: () => ({}) })
  const forgetting = (error: Error) => {
    const effects = { ...createMemoryEffectStore(), begin: () => Promise.reject(error) }
    return { runtime: defineRuntime({ capabilities: [x], effects }), onError: () => undefined }
  }
  const noTime = {
    now(): number {
      throw new Error('no time')
    },
  }
  const answers = [
    await answerOf({}, new Request('http://shop.test/svc')),
    await answerOf({ maxBodyBytes: 1 }),
    await answerOf({ secret: undefined, onError: () => undefined }),
    await answerOf(failing(new NonceStoreFullError('full'))),
    await answerOf(failing(new Error('away'))),
    await answerOf(forgetting(new EffectStoreFullError('full'))),
    await answerOf(forgetting(new Error('away'))),
    await answerOf({ clock: noTime, ...failing(new Error('away')) }),
  ]
  const [, section = ''] = /\nFurther answers([\s\S]*?)\n\n/.exec(page) ?? []
  const named = [...section.matchAll(/`([a-z_]+)`\s\((\d{3})\)/g)].map(([, code, status]) => [code, Number(status)])
  expect(named).toEqual(answers)
})

test('the table of the SDK’s codes is the type’s', () => {
  const source = readFileSync(join(ROOT, 'packages/sdk/src/errors.ts'), 'utf8')
  const [type = ''] = /export type FailureCode =[\s\S]*?\n\n/.exec(source) ?? []
  const codes = [...type.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(5)
  expect(
    tableOf('Why a capability call fails', 'code')
      .map(([code]) => code)
      .sort(),
  ).toEqual(codes.sort())
})

test('the table of plans has every figure of every plan', () => {
  const { free, pro, enterprise } = TIERS
  const names = [
    'runtimes',
    'executionsPerHour',
    'executionsBurst',
    'anonymousPerHour',
    'anonymousBurst',
    'requestsPerMinute',
    'analyticsDays',
    'retentionDays',
    'storedBytes',
  ] as const
  const write = (figure: number | null) => (figure === null ? 'unlimited' : figure.toLocaleString('en-US'))
  const rows = [free, pro, enterprise].map((tier) => names.map((name) => write(tier[name])))
  expect(Object.keys(free)).toEqual(names)
  const shown = tableOf('Rates and quotas', 'what')
  expect([1, 2, 3].map((column) => shown.map((cells) => cells[column]))).toEqual(rows)
})

test('the messages of a 429 are those of the service', () => {
  const sources = [
    'executions/admit.ts',
    'executions/idempotency.ts',
    'accounts/attempts.ts',
    'accounts/password-reset.ts',
    'accounts/password-queue.ts',
    'billing/checkout.ts',
    'deployments/deploy.ts',
    'deployments/promote.ts',
    'accounts/device-login.ts',
    'schemas/schemas.ts',
    'http/account-queues.ts',
    'runtimes/doctor.ts',
    'http/rate-limit.ts',
    'errors.ts',
  ]
    .map((path) => readFileSync(join(ROOT, 'packages/server/src', path), 'utf8'))
    .join('\n')
    // A template’s variable part is “…” on the page.
    .replaceAll(/\$\{[^}]+\}/g, '…')
    .replaceAll('`', "'")
  const messages = tableOf('Rates and quotas', 'message').map(([message = '']) => message)
  expect(messages).toHaveLength(30)
  expect(messages.filter((message) => !sources.includes(`'${message}'`))).toEqual([])
})

test('the table of sizes and times has the defaults', () => {
  const shown = new Map(tableOf('Sizes and times', 'what').map(([what = '', value]) => [what, value]))
  const size = (bytes: number) => (bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`)
  const limits = DEFAULT_LIMITS
  const expected: [string, string][] = [
    ['a request’s body, a deployment’s included', size(limits.bodyBytes)],
    ['nesting of a body', `${limits.jsonDepth} levels`],
    ['values in a body', limits.jsonValues.toLocaleString('en-US')],
    ['messages in a request', `${limits.messages}`],
    ['metadata', size(limits.metadataBytes)],
    ['endUserToken', size(limits.endUserTokenBytes)],
    ['capabilities in a deployment', `${limits.capabilities}`],
    ['one JSON Schema', size(limits.schemaBytes)],
    ['model calls of an execution', `${limits.steps}`],
    ['capability calls of an execution', `${limits.calls}`],
    ['capability calls at once within a step', `${limits.parallelCalls}`],
    ['one capability call', `${limits.dispatchMs / 1000} s`],
    ['one model call', `${limits.modelMs / 1000} s`],
    ['one execution', `${limits.executionMs / 1000} s`],
    ['a capability’s answer', size(limits.responseBytes)],
    ['values in a capability’s answer', limits.responseValues.toLocaleString('en-US')],
    ['tokens of an execution, input and output together', limits.executionTokens.toLocaleString('en-US')],
    ['what the model is given of it', size(limits.modelOutputBytes)],
    ['what a trace keeps of a payload', size(limits.storedBytes)],
  ]
  expect(expected.map(([what]) => [what, shown.get(what)])).toEqual(expected)
})

const Caller = z.object({
  callCapability: z.custom<(address: string, input: object, wait: (ms: number) => Promise<void>) => Promise<unknown>>(
    (value) => typeof value === 'function',
  ),
})

test('the caller of the page waits as it is told, gives up in time, and repeats nothing else', async () => {
  const sample = sampleOf(PAGE, '`call-capability.ts`')
  const folder = sampleFolder([sample])
  const { callCapability } = Caller.parse(await import(join(folder, sample.path ?? '')))
  const busy = { status: 429, body: { error: { message: 'Too many.' } } }
  const run = async (...answers: { status: number; body: object }[]) => {
    const { address, asked } = await startAnswers(answers)
    const waits: number[] = []
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
    }
    const outcome = await callCapability(address, { a: 1 }, wait).catch(String)
    return { outcome, waits, asked: asked() }
  }
  expect(await run(busy, busy, { status: 200, body: { output: 'yes' } })).toEqual({
    outcome: 'yes',
    waits: [7000, 7000],
    asked: ['{"input":{"a":1}}', '{"input":{"a":1}}', '{"input":{"a":1}}'],
  })
  const failed = { status: 502, body: { error: { message: 'Out of stock.' } } }
  expect(await run(failed)).toMatchObject({ outcome: 'Error: 502: Out of stock.', waits: [] })
  expect(await run(busy, busy, busy, busy, busy)).toMatchObject({
    outcome: 'Error: 429: Too many.',
    waits: [7000, 7000, 7000, 7000],
  })
})

/** A server that gives these answers, one after the other. */
async function startAnswers(answers: readonly { status: number; body: object }[]) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const answer = answers[asked.push(text) - 1] ?? { status: 500, body: {} }
    response.writeHead(answer.status, { 'content-type': 'application/json', 'retry-after': '7' })
    response.end(JSON.stringify(answer.body))
  })
  const { url, close } = await listenOnFreePort(server)
  onTestFinished(close)
  return { address: `${url}/`, asked: () => asked }
}
