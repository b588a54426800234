import { Toast } from 'radix-ui'
import { type ReactNode, useSyncExternalStore } from 'react'

interface Shown {
  id: number
  text: string
}

let shown: readonly Shown[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Says that something is done, for a moment, at the edge of the screen. */
export function toast(text: string): void {
  lastId += 1
  change([...shown, { id: lastId, text }])
}

export function Toasts(): ReactNode {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  return (
    <Toast.Provider label="Message" duration={4_000}>
      {toasts.map(({ id, text }) => (
        <Toast.Root
          key={id}
          onOpenChange={(isOpen) => {
            if (!isOpen) change(shown.filter((other) => other.id !== id))
          }}
          className="rounded-md bg-ink px-4 py-3 text-sm text-surface shadow-lg"
        >
          <Toast.Title>{text}</Toast.Title>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2" />
    </Toast.Provider>
  )
}

function change(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
