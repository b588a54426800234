import { useEffect, useRef } from 'react'

const DOUBLE_PRESS_MS = 500

/** Guards an action against a second press before the page has shown that the first one is under way. */
export function useOnce(isBusy: boolean): (act: () => void) => void {
  const isTaken = useRef(false)
  useEffect(() => {
    isTaken.current = isBusy
  })
  return (act) => {
    if (isTaken.current) return
    isTaken.current = true
    // An action that sends nothing may draw nothing.
    setTimeout(() => {
      isTaken.current = false
    }, DOUBLE_PRESS_MS)
    act()
  }
}
