/**
 * Runs a hook that mostly has nothing to wait for, and goes on at once then: a promise costs a request more than most
 * checks do. What it throws or rejects with is the request's fault.
 */
export function atOnce(work: () => unknown, done: (error?: Error) => void): void {
  let result: unknown
  try {
    result = work()
  } catch (error) {
    done(toError(error))
    return
  }
  if (result instanceof Promise) {
    result.then(
      () => done(),
      (error: unknown) => done(toError(error)),
    )
  } else done()
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
