import type { QueryCache } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError } from './api-error.ts'

let isAway = false
const listeners = new Set<() => void>()

/** Whether the service did not answer when it was last asked. */
export function useIsAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway)
}

/** Notes from every request of the page whether the service answers. */
export function watchReachability(cache: QueryCache): void {
  cache.subscribe(({ type, query }) => {
    if (type !== 'updated') return
    const { error, fetchFailureReason, fetchStatus } = query.state
    const failure = fetchFailureReason ?? error
    if (fetchStatus === 'paused' || isUnreachable(failure)) set(true)
    else if (fetchStatus === 'idle') set(false)
  })
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'unreachable' || error.code === 'unreadable')
}

function set(next: boolean): void {
  if (next === isAway) return
  isAway = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
