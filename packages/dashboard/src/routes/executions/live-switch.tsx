import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'

interface LiveSwitchProps {
  isLive: boolean
  /** It would renew itself, and the list is too long for that. */
  isPaused: boolean
  onChange: (isLive: boolean) => void
}

/** Whether the list renews itself. */
export function LiveSwitch({ isLive, isPaused, onChange }: LiveSwitchProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span role="status" className="text-sm text-muted">
        {isLive && isPaused && 'Paused: so long a list does not renew itself.'}
      </span>
      <Button aria-pressed={isLive} onClick={() => onChange(!isLive)}>
        <span aria-hidden="true" className={classNames('size-2 rounded-full', dot(isLive, isPaused))} />
        Live
      </Button>
    </div>
  )
}

function dot(isLive: boolean, isPaused: boolean): string {
  if (!isLive) return 'bg-edge'
  return isPaused ? 'bg-warn' : 'bg-ok'
}
