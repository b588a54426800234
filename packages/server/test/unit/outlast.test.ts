import { describe, expect, test } from 'vitest'
import { Stop } from '../../src/lib/stop-signal.ts'
import { CommitUnknownError, isOutage } from '../../src/store/errors.ts'
import { outlast, type Try } from '../../src/store/outlast.ts'

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

describe('retries while connections fail', () => {
  test('repeat the work, and throw the last error in the end', async () => {
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

  test('end with the current try once they have to hurry', async () => {
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

  test('abandon a try before its commit, which can then never commit', async () => {
    const hurry = new Stop()
    const { tries, work } = silentWork()
    const pauses: number[] = []
    const given = outlast(async (ms) => pauses.push(ms), work, hurry).catch(inform)
    hurry.abort()
    const error = await given
    expect(error).not.toBeInstanceOf(CommitUnknownError)
    expect(isOutage(error)).toBe(true)
    expect(pauses).toEqual([1_000])
    expect(() => tries[0]?.commit()).toThrow('abandoned')
  })

  test('leave the outcome unknown where a try was at its commit', async () => {
    const hurry = new Stop()
    const { tries, work } = silentWork()
    const given = outlast(noPause, work, hurry).catch(inform)
    tries[0]?.commit()
    hurry.abort()
    expect(await given).toBeInstanceOf(CommitUnknownError)
  })

  test('give a try that begins after the signal a second', async () => {
    const hurry = new Stop()
    hurry.abort()
    expect(await outlast(noPause, async () => 'done', hurry)).toBe('done')
    await expect(outlast(noPause, silentWork().work, hurry)).rejects.toThrow('the service stops')
  })
})
