import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { listenOnFreePort } from '@svc/testkit'
import { onTestFinished } from 'vitest'

const require = createRequire(import.meta.url)
const PROGRAM = require.resolve('@modelcontextprotocol/conformance/dist/index.js')

// The suite imports fs.globSync, which Node has from version 22 on. Tests of servers do not call it.
const FS = `import fs from 'node:fs'; export * from 'node:fs'; export const globSync = fs.globSync`
const RESOLVE = `export const resolve = (name, context, next) => name === 'fs' && context.parentURL?.includes('/conformance/')
  ? { url: ${JSON.stringify(dataUrl(FS))}, shortCircuit: true } : next(name, context)`
const HOOK = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(RESOLVE))})`)

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
}

/** What one revision requires, run against a server: the checks by scenario. */
export async function runConformance(url: string, revision: string): Promise<Map<string, Check[]>> {
  const results = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
  try {
    const options = ['server', '--url', url, '--requirements', revision, '-o', results]
    // It ends with an error wherever a check fails; what failed is in its files.
    await promisify(execFile)(process.execPath, ['--import', HOOK, PROGRAM, ...options]).catch(() => undefined)
    const scenarios = readdirSync(results).map((folder): [string, Check[]] => [
      folder.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1'),
      JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')),
    ])
    return new Map(scenarios)
  } finally {
    rmSync(results, { recursive: true })
  }
}

/** What failed, warnings included: a scenario by its name where that is expected to fail, else each of its checks. */
export function failuresIn(checks: ReadonlyMap<string, readonly Check[]>, expected: readonly string[]): string[] {
  const failed = [...checks].flatMap(([scenario, found]) => {
    const bad = found.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    return bad.map(({ id }) => (expected.includes(scenario) ? scenario : `${scenario}:${id}`))
  })
  return [...new Set(failed)].toSorted()
}

const ADDRESS = { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } }
const TEXT = { type: 'string' }

/** The input that the suite looks for, with what JSON Schema has had since 2020. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', ...ADDRESS } },
  properties: { name: TEXT, address: { $ref: '#/$defs/address' }, contactMethod: TEXT, phone: TEXT, email: TEXT },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  // biome-ignore-start lint/suspicious/noThenProperty: a keyword of JSON Schema
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  // biome-ignore-end lint/suspicious/noThenProperty: a keyword of JSON Schema
  additionalProperties: false,
}

/** The tools of the suite that capabilities can be, with what a deployment says of them. */
export const TOOLS: Readonly<Record<string, Record<string, unknown>>> = {
  'json-schema-2020-12-tool': { actions: [{ name: 'run', inputSchema: SCHEMA }] },
  'test-error-handling': {},
  'test-input-required-result-elicitation': { confirm: true },
  'test-input-required-result-request-state': { confirm: true },
  'test-input-required-result-tampered-state': { confirm: true },
  'test-logging-tool': {},
  'test-simple-text': {},
  'test-streaming-elicitation': { confirm: true },
}

const NAMES = Object.keys(TOOLS).map((name): [string, string] => [name.replaceAll('-', '_'), name])

/**
 * A relay to a server. The suite writes `test_simple_text`, and no capability has an underscore in its name: names
 * alone are changed, on the way there and back, and keep their length.
 */
export async function renameTools(target: string): Promise<string> {
  const { origin } = new URL(target)
  const relay = createServer(async (incoming, reply) => {
    const { 'mcp-name': name, ...headers } = incoming.headers
    const renamed = NAMES.find(([theirs]) => theirs === name)?.[1] ?? name
    const named = renamed !== undefined && { 'mcp-name': renamed }
    const body = NAMES.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), await latin1(incoming))
    const options = { method: incoming.method, headers: { ...headers, ...named } }
    const sent = request(`${origin}${incoming.url}`, options, async (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      const text = await latin1(answer)
      reply.end(
        NAMES.reduce((changed, [theirs, ours]) => changed.replaceAll(ours, theirs), text),
        'latin1',
      )
    })
    reply.on('close', () => sent.destroy())
    sent.on('error', () => reply.destroy())
    sent.end(body, 'latin1')
  })
  const listening = await listenOnFreePort(relay)
  onTestFinished(() => listening.close())
  return target.replace(origin, listening.url)
}

// One character a byte: what is not ASCII passes as it is.
async function latin1(stream: IncomingMessage): Promise<string> {
  return (await buffer(stream)).toString('latin1')
}
