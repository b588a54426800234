import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Ago } from '../../ui/time.tsx'

interface LiveSwitchProps {
  isLive: boolean
  /** The list is too long to be renewed by itself. */
  isPaused: boolean
  /** The last try to renew it failed. */
  isOffline: boolean
  /** When it was last renewed, epoch milliseconds. */
  updatedAt: number
  onChange: (isLive: boolean) => void
}

/** Whether the list renews itself. */
export function LiveSwitch({ isLive, isPaused, isOffline, updatedAt, onChange }: LiveSwitchProps): ReactNode {
  const isHealthy = !isPaused && !isOffline
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span role="status" className="text-sm text-muted">
        {isLive && isOffline && 'Offline'}
        {isLive && !isOffline && isPaused && 'Paused: more than three pages are loaded'}
      </span>
      {isLive && isOffline && (
        <span className="text-sm text-muted">
          Updated <Ago at={new Date(updatedAt).toISOString()} />
        </span>
      )}
      <Button aria-pressed={isLive} onClick={() => onChange(!isLive)}>
        <span
          aria-hidden="true"
          className={classNames('size-2 rounded-full', !isLive ? 'bg-edge' : isHealthy ? 'bg-ok' : 'bg-warn')}
        />
        Live
      </Button>
    </div>
  )
}
