import { describe, expect, test } from 'vitest'
import { Stop } from '../../src/lib/stop-signal.ts'
import { CommitUnknownError, isOutage } from '../../src/store/errors.ts'
import { retryConnectionFaults, type Try } from '../../src/store/retry.ts'

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
    expect(await retryConnectionFaults(noPause, mended)).toBe('done')
    const pauses: number[] = []
    const pause = async (ms: number) => pauses.push(ms)
    await expect(retryConnectionFaults(pause, () => Promise.reject(lost()))).rejects.toThrow('connection lost')
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(6_700)
  })

  test('end with the current try once retries must end', async () => {
    const ending = new Stop()
    let tries = 0
    const failing = async () => {
      tries += 1
      ending.abort()
      throw lost()
    }
    await expect(retryConnectionFaults(noPause, failing, ending)).rejects.toThrow('connection lost')
    expect(tries).toBe(1)
  })

  test('abandon a try before its commit, which can then never commit', async () => {
    const ending = new Stop()
    const { tries, work } = silentWork()
    const pauses: number[] = []
    const given = retryConnectionFaults(async (ms) => pauses.push(ms), work, ending).catch(inform)
    ending.abort()
    const error = await given
    expect(error).not.toBeInstanceOf(CommitUnknownError)
    expect(isOutage(error)).toBe(true)
    expect(pauses).toEqual([1_000])
    expect(() => tries[0]?.commit()).toThrow('abandoned')
  })

  test('leave the outcome unknown where a try was at its commit', async () => {
    const ending = new Stop()
    const { tries, work } = silentWork()
    const given = retryConnectionFaults(noPause, work, ending).catch(inform)
    tries[0]?.commit()
    ending.abort()
    expect(await given).toBeInstanceOf(CommitUnknownError)
  })

  test('give a try that begins after the signal a second', async () => {
    const ending = new Stop()
    ending.abort()
    expect(await retryConnectionFaults(noPause, async () => 'done', ending)).toBe('done')
    await expect(retryConnectionFaults(noPause, silentWork().work, ending)).rejects.toThrow('the service stops')
  })
})
