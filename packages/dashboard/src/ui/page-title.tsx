import { type ReactNode, useEffect, useSyncExternalStore } from 'react'

let current = ''
const listeners = new Set<() => void>()

/** Names the screen, in the window’s title and for {@link TitleAnnouncer}. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · svc`
    current = title
    for (const listener of listeners) listener()
  }, [title])
}

/** Tells screen readers which screen it is now: a page that changes by itself is not read out by them. */
export function TitleAnnouncer(): ReactNode {
  const title = useSyncExternalStore(subscribe, () => current)
  return (
    <p role="status" className="sr-only">
      {title}
    </p>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
