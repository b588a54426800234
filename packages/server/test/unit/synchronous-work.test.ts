import { expect, test } from 'vitest'
import { SynchronousWork } from '../../src/admission/synchronous-work.ts'
import { Stop } from '../../src/lib/stop-signal.ts'

/** A share by a clock of its own; `wake` ends the rest that is under way. */
function setShare() {
  let now = 0
  const rests: number[] = []
  const done: string[] = []
  let wake = () => {}
  const share = new SynchronousWork({
    now: () => now,
    rest(ms) {
      rests.push(ms)
      return new Promise<void>((resolve) => {
        wake = resolve
      })
    },
  })
  const run = (accountId: string, name: string, signal = new Stop()) => {
    const work = () => {
      done.push(name)
      now += 10
    }
    return share.run(accountId, work, signal)
  }
  return { run, rests, done, wake: () => wake() }
}

test('long work is done piece by piece, of the account that took least so far, with rests of twice what a piece took', async () => {
  const { run, rests, done, wake } = setShare()
  const first = run('a', 'a1')
  const more = [run('a', 'a2'), run('b', 'b1')]
  expect([done, rests]).toEqual([['a1'], [20]])
  wake()
  await first
  await expect.poll(() => done).toHaveLength(2)
  wake()
  await expect.poll(() => done).toEqual(['a1', 'b1', 'a2'])
  wake()
  await Promise.all(more)
})

test('work whose caller left before its turn is not done', async () => {
  const { run, done, wake } = setShare()
  const first = run('a', 'a1')
  const gone = new Stop()
  const second = run('a', 'a2', gone)
  gone.abort()
  await expect(second).rejects.toThrow()
  wake()
  await first
  expect(done).toEqual(['a1'])
})
