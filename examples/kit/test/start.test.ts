import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const EXAMPLE = fileURLToPath(new URL('../../booking-desk/dist/main.js', import.meta.url))

// The others are started by the same function.
test('an example starts with a control plane of its own, and a second Ctrl+C ends both as the first one does', async () => {
  const env = { PATH: process.env['PATH'], PORT: '0', SITE_PORT: '0' }
  // A process group of its own, as a terminal gives.
  const example = spawn(process.execPath, [EXAMPLE], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void example.kill('SIGKILL'))
  const ended = once(example, 'exit')
  let output = ''
  for await (const chunk of example.stdout) {
    output += String(chunk)
    if (output.includes('Ctrl+C stops both')) break
  }
  const addressOf = (what: string) => String(new RegExp(`${what} +(http:\\S+)`).exec(output)?.[1])
  const [desk, dashboard] = [addressOf('the booking desk'), addressOf('the dashboard')]
  expect((await fetch(desk)).status).toBe(200)
  expect((await fetch(dashboard)).status).toBe(200)

  for (const _ of ['once', 'twice']) process.kill(-Number(example.pid), 'SIGINT')

  expect(await ended).toEqual([0, null])
  await expect(fetch(dashboard)).rejects.toThrow('fetch failed')
}, 120_000)
