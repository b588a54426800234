/** Whether somebody is looking: polls go out at once when a tab is returned to. */
export interface Visibility {
  /** Calls `listener` each time the page comes into sight. Returns what ends it. */
  onVisible(listener: () => void): () => void
}

export const pageVisibility: Visibility = {
  onVisible(listener) {
    if (typeof document === 'undefined') return () => undefined
    const onChange = () => {
      if (document.visibilityState === 'visible') listener()
    }
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  },
}
