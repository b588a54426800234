import { useSyncExternalStore } from 'react'

const KEY = 'svc-events-read'
const listeners = new Set<() => void>()

/** The newest event that was looked at in this browser; null where none was. */
export function useReadMarker(): string | null {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(KEY))
}

export function setReadMarker(eventId: string): void {
  if (localStorage.getItem(KEY) === eventId) return
  localStorage.setItem(KEY, eventId)
  for (const listener of listeners) listener()
}

/** How many events, newest first, came after the marked one; all, where it is not among them. */
export function unreadCount(events: readonly { eventId: string }[], marker: string | null): number {
  const at = events.findIndex(({ eventId }) => eventId === marker)
  return at === -1 ? events.length : at
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
