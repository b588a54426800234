import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { trafficQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useMay } from '../role.ts'
import { nextShare } from './next-share.ts'
import type { Serve } from './use-serve.ts'

type Report = Schemas['TrafficReport']
type Counts = Schemas['TrafficCounts']

/** The stable deployment and the candidate side by side, and what may be done with them. */
export function TrafficCard({ runtimeId, serve }: { runtimeId: string; serve: Serve }): ReactNode {
  const { data, error, refetch } = useQuery(trafficQuery(runtimeId))
  const { change } = useMay()
  // The list of deployments says as much.
  if (data?.stable && !data.candidate && data.previousVersion === null) return null
  const isCompared = data?.candidate !== null && data !== undefined
  return (
    <Card
      title="Traffic"
      {...(data && { description: <Served report={data} /> })}
      actions={data && change && <Actions report={data} serve={serve} />}
    >
      <div className="flex flex-col gap-4">
        {error && <LoadError error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading className="p-0" />}
        {data?.candidate?.frozen && (
          <Notice kind="bad">
            <p className="font-medium">Candidate {data.candidate.version} is frozen and serves nobody.</p>
            <p>{data.candidate.frozen.reason} A new share starts it again.</p>
          </Notice>
        )}
        {isCompared && data?.stable?.counts && data.candidate && (
          <>
            <Split stable={data.stable} candidate={data.candidate}>
              {change && <ShareButtons candidate={data.candidate} serve={serve} />}
            </Split>
            <Comparison stable={data.stable} candidate={data.candidate} />
          </>
        )}
      </div>
    </Card>
  )
}

function Served({ report: { stable, candidate, since } }: { report: Report }): ReactNode {
  if (!stable) return 'No deployment is stable yet: promote one.'
  if (!candidate || since === null) return `Deployment ${stable.version} serves everything.`
  return (
    <>
      Since the share of the candidate was set, <Ago at={since} />. Broker, manifest and MCP serve the stable one.
    </>
  )
}

function Actions({ report: { candidate, previousVersion }, serve: { ask } }: ActionsProps): ReactNode {
  return (
    <div className="flex flex-wrap gap-2">
      {previousVersion !== null && (
        <Button size="small" onClick={() => ask(previousVersion)}>
          Roll back to v{previousVersion}
        </Button>
      )}
      {candidate && (
        <Button size="small" kind={candidate.frozen ? 'secondary' : 'primary'} onClick={() => ask(candidate.version)}>
          Promote v{candidate.version}
        </Button>
      )}
    </div>
  )
}

interface ActionsProps {
  report: Report
  serve: Serve
}

/** More, all or nothing for the candidate. */
function ShareButtons({ candidate: { version, traffic }, serve: { share, busy } }: ShareProps): ReactNode {
  const more = nextShare(traffic)
  return (
    <div className="flex flex-wrap gap-2">
      {more !== null && (
        <Button size="small" onClick={() => share(version, more)} isBusy={busy}>
          Increase to {more} %
        </Button>
      )}
      {traffic < 100 && (
        <Button size="small" onClick={() => share(version, 100)} isBusy={busy}>
          Send all traffic
        </Button>
      )}
      {traffic > 0 && (
        <Button size="small" onClick={() => share(version, 0)} isBusy={busy}>
          Stop traffic
        </Button>
      )}
    </div>
  )
}

interface ShareProps {
  candidate: Sides['candidate']
  serve: Serve
}

interface Sides {
  stable: NonNullable<Report['stable']>
  candidate: NonNullable<Report['candidate']>
}

const FIGURES: readonly [string, (counts: Counts) => string][] = [
  ['Executions', ({ executions }) => formatCount(executions)],
  ['Failed, or with a failed call', ({ bad, executions }) => `${formatCount(bad)}${percentOf(bad, executions)}`],
  ['Latency, p50', ({ p50DurationMs }) => formatDuration(p50DurationMs)],
  ['Latency, p95', ({ p95DurationMs }) => formatDuration(p95DurationMs)],
  ['Tokens in', ({ inputTokens }) => formatCount(inputTokens)],
  ['Tokens out', ({ outputTokens }) => formatCount(outputTokens)],
]

/** The shares of the stable deployment and the candidate, as a bar and in words. */
function Split({ stable, candidate, children }: Sides & { children: ReactNode }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <svg
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-2 w-full rounded-full bg-subtle"
      >
        <rect width={stable.traffic} height="1" className="fill-ok" />
        <rect x={100 - candidate.traffic} width={candidate.traffic} height="1" className="fill-accent-fill" />
      </svg>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm" aria-label="Shares">
          <li className="flex items-center gap-2">
            <Badge tone="ok">stable</Badge> v{stable.version} serves {stable.traffic} %
          </li>
          <li className="flex items-center gap-2">
            <Badge tone={candidate.frozen ? 'bad' : 'accent'}>{candidate.frozen ? 'frozen' : 'candidate'}</Badge> v
            {candidate.version} serves {candidate.traffic} %
          </li>
        </ul>
        {children}
      </div>
    </div>
  )
}

function Comparison({ stable, candidate }: Sides): ReactNode {
  const of = (counts: Counts | null, figure: (typeof FIGURES)[number][1]) => (counts ? figure(counts) : '–')
  return (
    <div className="-mx-5 -mb-5 border-t border-line">
      <Table
        caption="Stable and candidate"
        rows={FIGURES}
        rowKey={([name]) => name}
        columns={[
          { heading: 'Figure', cell: ([name]) => name },
          { heading: `Stable v${stable.version}`, isNumber: true, cell: ([, figure]) => of(stable.counts, figure) },
          {
            heading: `Candidate v${candidate.version}`,
            isNumber: true,
            cell: ([, figure]) => of(candidate.counts, figure),
          },
        ]}
      />
    </div>
  )
}

function percentOf(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${((100 * part) / whole).toFixed(1)} %)`
}
