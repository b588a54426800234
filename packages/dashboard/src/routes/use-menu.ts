import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'

interface Menu {
  isOpen: boolean
  toggle: () => void
  opener: RefObject<HTMLButtonElement | null>
  menu: RefObject<HTMLElement | null>
}

/** The menu of a narrow window. It closes on Escape, on each of its links, and when the focus goes on to what it hides. */
export function useMenu(): Menu {
  const path = useRouterState({ select: (state) => state.location.pathname })
  // Where it was opened: a new screen closes the menu that led to it.
  const [openAt, setOpenAt] = useState<string | null>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLElement>(null)
  const isOpen = openAt === path
  useEffect(() => {
    if (!isOpen) return
    const stop = new AbortController()
    const { signal } = stop
    const isInside = (target: EventTarget | null) =>
      target instanceof Node && [menu, opener].some(({ current }) => current?.contains(target))
    const close = () => setOpenAt(null)
    document.addEventListener('focusin', ({ target }) => !isInside(target) && close(), { signal })
    document.addEventListener(
      'click',
      ({ target }) => isInside(target) && target instanceof Element && target.closest('a') && close(),
      { signal },
    )
    document.addEventListener(
      'keydown',
      ({ key }) => {
        if (key !== 'Escape') return
        close()
        opener.current?.focus()
      },
      { signal },
    )
    return () => stop.abort()
  }, [isOpen])
  return { isOpen, toggle: () => setOpenAt(isOpen ? null : path), opener, menu }
}
