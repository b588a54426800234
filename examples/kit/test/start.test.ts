import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const programOf = (example: string) => fileURLToPath(new URL(`../../${example}/dist/main.js`, import.meta.url))

test.concurrent.each([
  ['booking-desk', /the booking desk +(http:\S+)/],
  ['fastify-mcp', /the REST API +(http:\S+)/],
])(
  '%s starts with a control plane of its own, and a second Ctrl+C ends it as the first one does',
  async (name, place) => {
    const env = { PATH: process.env['PATH'], PORT: '0', SITE_PORT: '0' }
    // A process group of its own, as a terminal gives.
    const example = spawn(process.execPath, [programOf(name)], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void example.kill('SIGKILL'))
    const ended = once(example, 'exit')
    let output = ''
    for await (const chunk of example.stdout) {
      output += String(chunk)
      if (output.includes('Ctrl+C stops both')) break
    }
    const site = String(place.exec(output)?.[1])
    const dashboard = String(/the dashboard +(http:\S+)/.exec(output)?.[1])
    expect((await fetch(site)).status).toBe(200)
    expect((await fetch(dashboard)).status).toBe(200)

    for (const _ of ['once', 'twice']) process.kill(-Number(example.pid), 'SIGINT')

    expect(await ended).toEqual([0, null])
    await expect(fetch(dashboard)).rejects.toThrow('fetch failed')
  },
  60_000,
)
