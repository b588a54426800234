import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import type { Schemas } from '../../api/client.ts'
import { eventsQuery } from '../../api/queries.ts'
import type { Tone } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'
import { RuntimeLink } from '../runtime-link.tsx'
import { wordsOf } from './event-words.ts'
import { setReadMarker } from './read-marker.ts'

/** What happened in the account lately. Looking at it marks it as read in this browser. */
export function Events(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(eventsQuery)
  const newest = data?.events[0]?.eventId
  useEffect(() => {
    if (newest !== undefined) setReadMarker(newest)
  }, [newest])
  return (
    <Page
      title="Events"
      description="The latest 200, newest first. Webhooks deliver the same events."
      actions={<LinkButton to="/webhooks">Webhooks</LinkButton>}
    >
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush>
        {isPending && <Loading />}
        {data?.events.length === 0 && (
          <Empty picture="rows" title="No events yet">
            Promotions, frozen candidates, unreachable endpoints, quota alerts and key changes appear here.
          </Empty>
        )}
        {data && (
          <ul className="divide-y divide-line">
            {data.events.map((event) => (
              <Event key={event.eventId} event={event} />
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}

const DOTS: Readonly<Record<Tone, string>> = {
  neutral: 'bg-edge',
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad-fill',
  accent: 'bg-accent-fill',
}

function ExecutionLink({ executionId }: { executionId: unknown }): ReactNode {
  return (
    typeof executionId === 'string' && (
      <Link to="/executions/$executionId" params={{ executionId }} className="text-accent underline underline-offset-2">
        View execution
      </Link>
    )
  )
}

function Event({ event }: { event: Schemas['AccountEvent'] }): ReactNode {
  const { title, text, tone } = wordsOf(event)
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1 px-5 py-3.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          <span aria-hidden="true" className={classNames('size-2 shrink-0 rounded-full', DOTS[tone])} />
          {title}
          <code className="text-xs font-normal text-muted">{event.type}</code>
        </p>
        <p className="mt-0.5 pl-4 text-sm text-muted [overflow-wrap:anywhere]">
          {text} <ExecutionLink executionId={event.data['executionId']} />
        </p>
      </div>
      <div className="flex items-center gap-4 text-sm text-muted">
        {event.runtimeId !== null && <RuntimeLink runtimeId={event.runtimeId} />}
        <Ago at={event.at} />
      </div>
    </li>
  )
}
