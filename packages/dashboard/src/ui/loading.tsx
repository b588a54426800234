import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** The place of what is on its way, in about its size. */
export function Loading({ rows = 3, className }: { rows?: number; className?: string }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className={classNames('flex flex-col gap-3 p-5', className)}>
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
        <div key={row} aria-hidden="true" className="h-5 animate-pulse rounded bg-subtle last:w-2/3" />
      ))}
    </div>
  )
}
