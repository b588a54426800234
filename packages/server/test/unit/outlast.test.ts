import { describe, expect, test } from 'vitest'
import { CommitUnknownError, isOutage } from '../../src/database/errors.ts'
import { outlast, type Try } from '../../src/database/outlast.ts'
import { Stop } from '../../src/lib/stop-signal.ts'

const noPause = async () => {}
const lost = () => Object.assign(new Error('connection lost'), { code: '08006' })
const inform = (error: unknown) => error

/** Work that hands its try out and never ends by itself. */
function silentWork() {
  const tries: Try[] = []
  const work = (attempt: Try) => {
    tries.push(attempt)
    return new Promise<never>(() => {})
  }
  return { tries, work }
}

describe('work that outlasts an outage', () => {
  test('is repeated while connections fail, and given up in the end with what was met last', async () => {
    let tries = 0
    const mended = async () => {
      tries += 1
      if (tries < 4) throw lost()
      return 'done'
    }
    expect(await outlast(noPause, mended)).toBe('done')
    const pauses: number[] = []
    const pause = async (ms: number) => pauses.push(ms)
    await expect(outlast(pause, () => Promise.reject(lost()))).rejects.toThrow('connection lost')
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(6_700)
  })

  test('is not tried again once it has to hurry, nor waited for longer than a second', async () => {
    const hurry = new Stop()
    let tries = 0
    const failing = async () => {
      tries += 1
      hurry.abort()
      throw lost()
    }
    await expect(outlast(noPause, failing, hurry)).rejects.toThrow('connection lost')
    expect(tries).toBe(1)
  })

  test('that was not at its commit is known to have done nothing when it is given up, and cannot commit any more', async () => {
    const hurry = new Stop()
    const { tries, work } = silentWork()
    const pauses: number[] = []
    const given = outlast(async (ms) => pauses.push(ms), work, hurry).catch(inform)
    hurry.abort()
    const error = await given
    expect(error).not.toBeInstanceOf(CommitUnknownError)
    expect(isOutage(error)).toBe(true)
    expect(pauses).toEqual([1_000])
    expect(() => tries[0]?.commit()).toThrow('nobody waits')
  })

  test('that was at its commit may have done it', async () => {
    const hurry = new Stop()
    const { tries, work } = silentWork()
    const given = outlast(noPause, work, hurry).catch(inform)
    tries[0]?.commit()
    hurry.abort()
    expect(await given).toBeInstanceOf(CommitUnknownError)
  })

  test('that begins after the signal has a second, too', async () => {
    const hurry = new Stop()
    hurry.abort()
    expect(await outlast(noPause, async () => 'done', hurry)).toBe('done')
    await expect(outlast(noPause, silentWork().work, hurry)).rejects.toThrow('the service stops')
  })
})
