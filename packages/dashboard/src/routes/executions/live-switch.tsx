import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'

/** Whether the list renews itself. */
export function LiveSwitch({ isLive, onChange }: { isLive: boolean; onChange: (isLive: boolean) => void }): ReactNode {
  return (
    <Button aria-pressed={isLive} onClick={() => onChange(!isLive)}>
      <span aria-hidden="true" className={classNames('size-2 rounded-full', isLive ? 'bg-ok' : 'bg-edge')} />
      Live
    </Button>
  )
}
