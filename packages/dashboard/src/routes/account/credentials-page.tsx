import type { ReactNode } from 'react'
import { Brand } from '../../ui/brand.tsx'
import { useTitle } from '../../ui/page-title.tsx'

/** The page around the sign-in and the sign-up form. */
export function CredentialsPage({
  title,
  children,
  footer,
}: {
  title: string
  children: ReactNode
  footer: ReactNode
}): ReactNode {
  useTitle(title)
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <Brand />
        <h1 className="mt-8 text-xl font-semibold tracking-tight">{title}</h1>
        <div className="mt-6">{children}</div>
        <p className="mt-6 text-sm text-muted">{footer}</p>
      </div>
    </main>
  )
}
