import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Nothing here yet: what would be here, and how it comes to be. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
  heading: Heading = 'p',
}: {
  icon: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Where it is all that a screen has. */
  heading?: 'p' | 'h1'
}): ReactNode {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-subtle text-muted">
        <Icon aria-hidden="true" className="size-5" />
      </span>
      <Heading className="font-semibold">{title}</Heading>
      {children !== undefined && <div className="max-w-md text-sm text-muted">{children}</div>}
      {action}
    </div>
  )
}
