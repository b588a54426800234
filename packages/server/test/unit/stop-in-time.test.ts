import { expect, test } from 'vitest'
import { stopInTime } from '../../src/lib/stop-in-time.ts'

async function stopped(stop: () => Promise<void>, stopMs: number) {
  const lines: unknown[] = []
  const code = await stopInTime({ stop }, { error: (line: unknown) => void lines.push(line) }, stopMs)
  return { code, lines }
}

test('a server that stops in time gives the exit code 0', async () => {
  expect(await stopped(async () => undefined, 60_000)).toEqual({ code: 0, lines: [] })
})

test('a server that takes longer gives the exit code 1 and is logged', async () => {
  const never = () => new Promise<void>(() => undefined)
  expect(await stopped(never, 1)).toEqual({ code: 1, lines: ['the service did not stop in time'] })
})

test('an error of stopping is thrown', async () => {
  await expect(stopped(() => Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken')
})
