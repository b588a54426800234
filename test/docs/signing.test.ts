import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECEIVER_REFUSALS } from '@svc/contract'
import { type NonceStore, verifySignature } from '@svc/sdk'
import { needs } from '@svc/testkit/needs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sampleOf, samplesOf } from '../support/doc-samples.ts'
import { RECEIVER_PROGRAMS } from '../support/receiver-programs.ts'
import { sampleFolder } from '../support/sample-folder.ts'
import { type SignedCase, signedCases } from '../support/signed-cases.ts'
import { ROOT } from '../support/source-tree.ts'

const PAGE = 'docs/reference/signing.md'
const cases = await signedCases()
const Answers = z.array(
  z.object({ verdicts: z.array(z.string().nullable()), claims: z.array(z.tuple([z.string(), z.number()])) }),
)
type Answers = z.infer<typeof Answers>

const TypeScriptReceiver = z.object({
  verifyCall: z.custom<
    (receiver: object, headers: { get(name: string): string | null }, body: Uint8Array) => Promise<string | null>
  >((value) => typeof value === 'function'),
})

test('the TypeScript receiver of the page accepts every vector and refuses every spoilt call', async () => {
  const sample = sampleOf(PAGE, '`verify-call.ts`')
  const folder = sampleFolder([sample])
  const { verifyCall } = TypeScriptReceiver.parse(await import(join(folder, sample.path ?? '')))

  const answers = await answersOf(({ runtimeId, secrets, claimNonce, now, headers, body }) =>
    verifyCall({ runtimeId, secrets, claimNonce, now }, headers, body),
  )

  expectRight(answers)
})

test('the SDK’s own check gives the same verdicts', async () => {
  const answers = await answersOf(async ({ runtimeId, secrets, claimNonce, now, headers, body }) => {
    const nonceStore: NonceStore = { claim: claimNonce }
    const receiver = { runtimeId, secret: secrets, nonceStore, clock: { now } }
    const verification = await verifySignature(receiver, { headers, body })
    return verification.ok ? null : verification.refusal
  })

  expectRight(answers, 305_000)
})

const PROGRAMS = { python: 'python3', go: 'go', php: 'php' } as const

for (const language of ['python', 'go', 'php'] as const) {
  needs(PROGRAMS[language])(`the ${language} receiver of the page`, () => {
    test('accepts every vector and refuses every spoilt call', async () => {
      const folder = sampleFolder([sampleOf(PAGE, '', language)])
      const { file, command, code } = RECEIVER_PROGRAMS[language]
      writeFileSync(join(folder, file), code)
      writeFileSync(join(folder, 'go.mod'), 'module receiver\n\ngo 1.18\n')

      const [name, ...rest] = command
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', PYTHONDONTWRITEBYTECODE: '1' }
      const ran = await run(name, rest, JSON.stringify(cases), { cwd: folder, env })

      expect(ran.stderr).toBe('')
      expectRight(Answers.parse(JSON.parse(ran.stdout)))
    }, 300_000)
  })
}

needs('openssl')('the page’s commands', () => {
  test('print the signature that the page names', async () => {
    const { stdout } = await run('sh', ['-c', sampleOf(PAGE, 'By hand', 'sh').code])
    const [signature = ''] = stdout.split(' ')
    expect(signature).toBe(cases[0]?.requests[0]?.headers['x-svc-signature'])
    expect(readFileSync(join(ROOT, PAGE), 'utf8')).toContain(`It prints \`${signature}\`.`)
  })
})

test('the page has a receiver in four languages, and a row for each refusal of a receiver’s check', () => {
  const languages = samplesOf(PAGE).map(({ language }) => language)
  expect(languages).toEqual(['sh', 'ts', 'python', 'go', 'php'])
  const refusals = cases.flatMap(({ verdicts }) => verdicts).filter((verdict) => verdict !== null)
  const checked = Object.entries(RECEIVER_REFUSALS).flatMap(([code, status]) => (status === 401 ? [code] : []))
  // The page’s receivers keep their claims in stores that outlive the process.
  refusals.push('nonce_store_cold')
  expect([...new Set(refusals)].sort()).toEqual(checked.sort())
})

interface Ask {
  runtimeId: string
  secrets: readonly string[]
  claimNonce: (nonce: string, expiresAt: number) => Promise<boolean>
  now: () => number
  headers: { get(name: string): string | null }
  body: Uint8Array
}

async function answersOf(ask: (question: Ask) => Promise<string | null>): Promise<Answers> {
  return Promise.all(
    cases.map(async ({ runtimeId, secrets, requests }) => {
      const seen = new Set<string>()
      const claims: [string, number][] = []
      const verdicts: (string | null)[] = []
      const claimNonce = async (nonce: string, expiresAt: number) => {
        claims.push([nonce, expiresAt])
        return !seen.has(nonce) && Boolean(seen.add(nonce))
      }
      for (const { headers, bodyBase64, nowMs } of requests) {
        const body = new Uint8Array(Buffer.from(bodyBase64, 'base64'))
        const found = { get: (name: string) => headers[name] ?? null }
        verdicts.push(await ask({ runtimeId, secrets, claimNonce, now: () => nowMs, headers: found, body }))
      }
      return { verdicts, claims }
    }),
  )
}

// The page’s receivers keep a claim for servers whose clocks differ; the SDK’s shared stores add that time themselves.
function expectRight(answers: Answers, keptMs = 605_000): void {
  const named = (verdictsOf: (each: SignedCase, at: number) => unknown) =>
    cases.map((each, at) => ({ name: each.name, verdicts: verdictsOf(each, at) }))
  expect(named((_, at) => answers[at]?.verdicts)).toEqual(named(({ verdicts }) => verdicts))
  // A nonce is claimed by calls that a signature holds for, and by no others, until the timestamp refuses them anyway.
  expect(answers.map(({ claims }) => claims)).toEqual(cases.map((each) => claimsOf(each, keptMs)))
}

function claimsOf({ requests, verdicts }: SignedCase, keptMs: number): [string, number][] {
  return requests.flatMap(({ headers }, at): [string, number][] => {
    const verdict = verdicts[at]
    if (verdict !== null && verdict !== 'nonce_replayed') return []
    return [[headers['x-svc-nonce'] ?? '', Number(headers['x-svc-timestamp']) + keptMs]]
  })
}

/** Runs a program with this on its standard input, and leaves the test worker free meanwhile. */
function run(
  program: string,
  args: readonly string[],
  input = '',
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  return new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    const ended = (error: Error | null, stdout: string, stderr: string) =>
      error ? reject(error) : resolve({ stdout, stderr })
    execFile(program, args, { ...options, maxBuffer: 64 * 1024 * 1024 }, ended).stdin?.end(input)
  })
}
