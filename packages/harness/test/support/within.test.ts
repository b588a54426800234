import { expect, test, vi } from 'vitest'
import { endedWithin } from '../../src/support/server.ts'
import { within } from '../../src/support/within.ts'

const NEVER = new Promise<never>(() => {})

test('what comes in time is passed on, its error, too; what does not is named', async () => {
  expect(await within(Promise.resolve(7), 60_000, 'seven')).toBe(7)
  await expect(within(Promise.reject(new Error('broke')), 60_000, 'seven')).rejects.toThrow('broke')
  await expect(within(NEVER, 1, 'the end of days')).rejects.toThrow('waited 0.001 s for the end of days')
})

test('a server that does not end when it is told to is killed, and its end says so', async () => {
  let end = (_: { code: null; signal: 'SIGKILL'; stdout: string; stderr: string }) => {}
  const ended = new Promise<Parameters<typeof end>[0]>((resolve) => {
    end = resolve
  })
  const kill = vi.fn((signal?: NodeJS.Signals) => {
    if (signal === 'SIGKILL') end({ code: null, signal, stdout: '', stderr: '' })
  })
  expect(await endedWithin({ ended, kill }, 1)).toMatchObject({ end: { code: null, signal: 'SIGKILL' } })
  expect(kill).toHaveBeenCalledTimes(1)
})
