import { namesHost } from '@svc/widget'
import type { ReactNode } from 'react'

interface OutsideLinkProps {
  /** An address that was checked. */
  url: string
  /** The words that `children` show. */
  label: string
  children: ReactNode
}

/** A link to somewhere else, with its host beside it, unless its own words are the address or its host. */
export function OutsideLink({ url, label, children }: OutsideLinkProps): ReactNode {
  const { host } = new URL(url)
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children}
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
      {!namesHost(label, host) && (
        <span dir="ltr" className="text-xs text-muted">
          {' '}
          ({host})
        </span>
      )}
    </>
  )
}
