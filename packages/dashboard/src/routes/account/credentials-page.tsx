import type { ReactNode } from 'react'
import { Brand } from '../../ui/brand.tsx'
import { useTitle } from '../../ui/page-title.tsx'

/** The page around the sign-in and the sign-up form. */
export function CredentialsPage({
  title,
  lead,
  children,
  footer,
}: {
  title: string
  /** One sentence below the title. */
  lead?: string
  children: ReactNode
  footer: ReactNode
}): ReactNode {
  useTitle(title)
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="flex w-full max-w-md flex-col items-center gap-6">
        <Brand />
        <div className="w-full rounded-lg border border-line bg-surface p-6 sm:p-8">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead !== undefined && <p className="mt-1 text-sm text-muted">{lead}</p>}
          <div className="mt-6">{children}</div>
        </div>
        <p className="text-sm text-muted">{footer}</p>
      </div>
    </main>
  )
}
