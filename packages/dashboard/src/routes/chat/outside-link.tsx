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
      </a>
      {!isNamedBy(label.trim(), host) && (
        <span dir="ltr" className="text-xs text-muted">
          {' '}
          ({host})
        </span>
      )}
    </>
  )
}

// Not whether it is in there somewhere: an address can hold another one’s name.
function isNamedBy(label: string, host: string): boolean {
  return label === host || (URL.canParse(label) && new URL(label).host === host)
}
