import type { ReactNode } from 'react'
import { useTitle } from './page-title.tsx'

interface PageProps {
  title: string
  /** The screen that it is a part of. */
  parent?: ReactNode
  /** Beside the title: how the thing stands. */
  badges?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A screen: its name in the window’s title and as the one heading of the first rank. */
export function Page({ title, parent, badges, description, actions, children }: PageProps): ReactNode {
  useTitle(title)
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {parent !== undefined && <div className="mb-1 text-sm text-muted">{parent}</div>}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
            {badges}
          </div>
          {description !== undefined && <div className="mt-1 max-w-3xl text-muted">{description}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
