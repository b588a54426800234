import { Children, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface CardProps {
  /** Where a link leads to. */
  id?: string
  title?: string
  description?: ReactNode
  actions?: ReactNode
  /** Without padding, for tables that reach from edge to edge. */
  isFlush?: boolean
  children: ReactNode
}

/** A part of a screen under a heading of its own. */
export function Card({ id: place, title, description, actions, isFlush = false, children }: CardProps): ReactNode {
  const id = useId()
  const hasContent = Children.toArray(children).length > 0
  return (
    <section
      id={place}
      {...(title !== undefined && { 'aria-labelledby': id })}
      className="min-w-0 scroll-mt-20 rounded-lg border border-line bg-surface"
    >
      {title !== undefined && (
        <header
          className={classNames('flex flex-wrap items-start justify-between gap-3 px-5 pt-4', !hasContent && 'pb-5')}
        >
          <div className="min-w-0 flex-1 basis-40">
            <h2 id={id} className="font-semibold [overflow-wrap:anywhere]">
              {title}
            </h2>
            {description !== undefined && <div className="mt-0.5 max-w-3xl text-sm text-muted">{description}</div>}
          </div>
          {actions}
        </header>
      )}
      {hasContent && (
        <div
          className={classNames(
            isFlush ? title !== undefined && 'pt-3' : 'p-5',
            title !== undefined && !isFlush && 'pt-4',
          )}
        >
          {children}
        </div>
      )}
    </section>
  )
}
