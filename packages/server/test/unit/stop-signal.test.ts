import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { pauseUntilStopped, Stop, unlessStopped } from '../../src/lib/stop-signal.ts'

describe('a stop', () => {
  test('calls all listeners once, in order', () => {
    const stop = new Stop()
    const heard: string[] = []
    stop.addEventListener('abort', () => heard.push('first'))
    stop.addEventListener('abort', () => heard.push('second'))
    expect(stop.aborted).toBe(false)
    stop.abort()
    stop.abort()
    expect(heard).toEqual(['first', 'second'])
    expect(stop.aborted).toBe(true)
  })

  test('is aborted before its listeners are called', () => {
    const stop = new Stop()
    const seen: boolean[] = []
    stop.addEventListener('abort', () => seen.push(stop.aborted))
    stop.abort()
    expect(seen).toEqual([true])
  })

  test('does not call removed listeners, nor those added later', () => {
    const stop = new Stop()
    const left = vi.fn()
    const late = vi.fn()
    stop.addEventListener('abort', left)
    stop.removeEventListener('abort', left)
    stop.abort()
    stop.addEventListener('abort', late)
    expect(left).not.toHaveBeenCalled()
    expect(late).not.toHaveBeenCalled()
  })
})

describe('a pause', () => {
  const HOUR_MS = 3_600_000

  test('ends when a signal of either kind aborts', async () => {
    const stop = new Stop()
    const controller = new AbortController()
    const pauses = [pauseUntilStopped(HOUR_MS, stop), pauseUntilStopped(HOUR_MS, controller.signal)]
    stop.abort()
    controller.abort()
    await Promise.all(pauses)
  })

  test('does not begin with an aborted signal', async () => {
    const stop = new Stop()
    stop.abort()
    await pauseUntilStopped(HOUR_MS, stop)
    await pauseUntilStopped(HOUR_MS, AbortSignal.abort())
  })

  test('ends with its time, and removes its listener', async () => {
    const controller = new AbortController()
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    await pauseUntilStopped(0, controller.signal)
    expect(removed).toHaveBeenCalledTimes(1)
  })
})

describe('work until a signal', () => {
  const never = new Promise<string>(() => {})

  test('returns its result or error, and removes its listener', async () => {
    const stop = new Stop()
    const removed = vi.spyOn(stop, 'removeEventListener')
    expect(await unlessStopped(Promise.resolve('done'), stop)).toBe('done')
    const fault = new Error('failed')
    await expect(unlessStopped(Promise.reject(fault), stop)).rejects.toBe(fault)
    await Promise.resolve()
    expect(removed).toHaveBeenCalledTimes(2)
  })

  test('is null as soon as a signal of either kind aborts, or is aborted', async () => {
    const stop = new Stop()
    const controller = new AbortController()
    const ends = [unlessStopped(never, stop), unlessStopped(never, controller.signal)]
    stop.abort()
    controller.abort()
    expect(await Promise.all(ends)).toEqual([null, null])
    expect(await unlessStopped(never, stop)).toBeNull()
    expect(await unlessStopped(never, controller.signal)).toBeNull()
  })

  test('may fail later without an unhandled rejection', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const stop = new Stop()
    const removed = vi.spyOn(stop, 'removeEventListener')
    let fail = (_fault: Error) => {}
    const work = new Promise<string>((_, reject) => {
      fail = reject
    })
    const end = unlessStopped(work, stop)
    stop.abort()
    expect(await end).toBeNull()
    fail(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
    expect(removed).toHaveBeenCalledTimes(1)
  })
})
