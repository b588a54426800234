import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { eventsQuery } from '../../api/queries.ts'
import { unreadCount, useReadMarker } from './read-marker.ts'

const MOST = 9

/** The way to the events of the account, with the number of those that were not looked at. */
export function Bell(): ReactNode {
  const { data } = useQuery(eventsQuery)
  const unread = unreadCount(data?.events ?? [], useReadMarker())
  return (
    <Link
      to="/events"
      aria-label={unread === 0 ? 'Events' : `Events, ${unread} new`}
      title="Events"
      className="relative rounded-md p-2 text-muted hover:bg-subtle hover:text-ink aria-[current]:text-accent"
    >
      <BellIcon aria-hidden="true" className="size-5 lg:size-4.5" />
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-0.5 -right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-bad-fill px-1 text-[0.625rem] font-semibold text-white tabular-nums"
        >
          {unread > MOST ? `${MOST}+` : unread}
        </span>
      )}
    </Link>
  )
}
