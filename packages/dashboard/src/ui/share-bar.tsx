import type { ReactNode } from 'react'

/** How much of a quota is left, `share` from 0 to 1. Below a tenth it is red. */
export function ShareBar({ share }: { share: number }): ReactNode {
  return (
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full rounded-full bg-subtle"
    >
      <rect width={share * 100} height="1" className={share < 0.1 ? 'fill-bad-fill' : 'fill-accent-fill'} />
    </svg>
  )
}
