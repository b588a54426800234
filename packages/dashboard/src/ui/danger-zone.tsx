import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

interface DangerZoneProps {
  /** What the button says. */
  action: string
  /** What goes along with it. */
  children: ReactNode
  /** The dialog that confirms it. */
  dialog: (close: () => void) => ReactNode
}

/** The last part of a screen: what cannot be undone. */
export function DangerZone({ action, children, dialog }: DangerZoneProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <section aria-labelledby="danger-zone" className="min-w-0 rounded-lg border border-bad bg-surface">
      <div className="flex flex-wrap items-center justify-between gap-4 p-5">
        <div className="max-w-2xl min-w-0">
          <h2 id="danger-zone" className="font-semibold">
            Danger zone
          </h2>
          <div className="mt-0.5 text-sm text-muted">{children}</div>
        </div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          {action}
        </Button>
      </div>
      {isOpen && dialog(() => setOpen(false))}
    </section>
  )
}
