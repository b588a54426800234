/** For what scrolls by itself: it must be reachable with the keyboard. */
export const SCROLLABLE = { tabIndex: 0 }
