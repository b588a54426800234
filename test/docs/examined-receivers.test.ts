import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnFreePort, startProgram } from '@svc/testkit'
import { needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { failedRows } from '../../packages/server/test/support/examine-receiver.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { RECEIVER_SERVERS } from '../support/receiver-servers.ts'
import { sampleFolder } from '../support/sample-folder.ts'

const PAGE = 'docs/reference/signing.md'
const RECEIVER = { runtimeId: 'rt_examined0001', secret: 'q3Zk9uN0p7mWb2xT1cVfYd5hLr8sEaGiOoQnJwKzRtU' }

const TypeScriptReceiver = z.object({
  verifyCall: z.custom<(receiver: object, headers: Headers, body: Uint8Array) => Promise<string | null>>(
    (value) => typeof value === 'function',
  ),
})

// holds DOC-02
test('the TypeScript receiver of the page passes the doctor', async () => {
  const sample = sampleOf(PAGE, '`verify-call.ts`')
  const { verifyCall } = TypeScriptReceiver.parse(await import(join(sampleFolder([sample]), sample.path ?? '')))
  const seen = new Set<string>()
  const claimNonce = async (nonce: string) => !seen.has(nonce) && Boolean(seen.add(nonce))
  const receiver = { runtimeId: RECEIVER.runtimeId, secrets: [RECEIVER.secret], claimNonce }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const refusal = await verifyCall(receiver, headers, new Uint8Array(Buffer.concat(chunks)))
    response.writeHead(refusal ? 401 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: refusal ?? 'unknown_capability' }))
  }
  const { url, close } = await listenOnFreePort(createServer((...exchange) => void serve(...exchange)))
  onTestFinished(close)
  expect(await failedRows({ url, ...RECEIVER })).toEqual([])
})

const PROGRAMS = { python: 'python3', go: 'go', php: 'php' } as const

for (const language of ['python', 'go', 'php'] as const) {
  needs(PROGRAMS[language])(`the ${language} receiver of the page`, () => {
    // holds DOC-02
    test('passes the doctor', async () => {
      const folder = sampleFolder([sampleOf(PAGE, '', language)])
      const { file, build, command, code } = RECEIVER_SERVERS[language]
      writeFileSync(join(folder, file), code)
      writeFileSync(join(folder, 'go.mod'), 'module receiver\n\ngo 1.18\n')
      const port = await freePort()
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', PYTHONDONTWRITEBYTECODE: '1' }
      const of = { PORT: String(port), RUNTIME_ID: RECEIVER.runtimeId, SECRET: RECEIVER.secret }
      const start = ([name, ...rest]: readonly [string, ...string[]]) =>
        startProgram(name, rest, { cwd: folder, env: { ...env, ...of } })
      if (build) expect(await start(build).ended).toMatchObject({ code: 0, stderr: '' })
      const program = start(command)
      onTestFinished(async () => {
        program.child.kill()
        await program.ended
      })
      await whenOpen(port)
      expect(await failedRows({ url: `http://127.0.0.1:${port}/svc`, ...RECEIVER })).toEqual([])
    }, 300_000)
  })
}

async function freePort(): Promise<number> {
  const { port, close } = await listenOnFreePort(createTcpServer())
  await close()
  return port
}

async function whenOpen(port: number): Promise<void> {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  while (!(await isOpen())) await sleep(50)
}
