import { type FocusEventHandler, type RefObject, useEffect, useRef } from 'react'

interface FocusHandlers {
  onFocus: FocusEventHandler
  onBlur: FocusEventHandler
}

/**
 * Keeps the keyboard in a box: where the button that had it goes with what it belonged to, the box itself takes it.
 * `content` is what the box shows. Gives handlers for the box.
 */
export function useKeptFocus(box: RefObject<HTMLElement | null>, content: unknown): FocusHandlers {
  const focused = useRef<Element | null>(null)
  useEffect(() => {
    if (content !== null && focused.current?.isConnected === false) box.current?.focus({ preventScroll: true })
  }, [box, content])
  return {
    onFocus: ({ target }) => {
      focused.current = target
    },
    // Not told of what is taken away: React hears nothing while it changes the page.
    onBlur: () => {
      focused.current = null
    },
  }
}
