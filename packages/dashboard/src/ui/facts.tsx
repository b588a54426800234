import type { ReactNode } from 'react'

/** Names and what stands for them, in columns as the place allows. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(8.5rem,100%),1fr))] gap-x-6 gap-y-4 sm:grid-cols-[repeat(auto-fill,minmax(min(11.5rem,100%),1fr))]">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs font-medium text-muted">{name}</dt>
          <dd className="mt-0.5 text-sm [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
