import { Search } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })))

/** Opens the palette, as Ctrl K and ⌘ K do on every screen. */
export function PaletteOpener(): ReactNode {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return
        event.preventDefault()
        // Above another dialog it would take what is typed there.
        setOpen((was) => was || document.querySelector('dialog[open]') === null)
      },
      { signal: stop.signal },
    )
    return () => stop.abort()
  }, [])
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        className="flex h-9 w-full items-center gap-2 rounded-md border border-edge bg-surface px-2.5 text-sm text-muted hover:text-ink"
      >
        <Search aria-hidden="true" className="size-4" />
        Go to…
        <kbd className="ml-auto rounded bg-subtle px-1.5 font-sans text-xs">
          {/Mac|iP/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'}
        </kbd>
      </button>
      {/* In the body: what is around this button may be hidden. */}
      {isOpen &&
        createPortal(
          <Suspense fallback={null}>
            <Palette onClose={() => setOpen(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  )
}
