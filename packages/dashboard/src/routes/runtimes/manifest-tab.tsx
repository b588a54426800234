import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { manifestQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView } from '../../ui/json-tree.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { useRuntime } from './use-runtime.ts'

/** What anonymous callers read of the runtime. */
export function ManifestTab(): ReactNode {
  const { runtimeId } = useRuntime()
  const { data, error, isPending, refetch } = useQuery(manifestQuery(runtimeId))
  const address = `${location.origin}/v1/runtime/${runtimeId}/manifest`
  return (
    <Card
      title="Discovery manifest"
      description="Public. Agents find your capabilities here, and call them through the broker."
      actions={data && <CopyButton text={JSON.stringify(data, null, 2)} label="the manifest" />}
    >
      {isPending && <Loading className="p-0" />}
      {error && <NotPublished error={error} onRetry={() => void refetch()} />}
      {data && (
        <div className="flex flex-col gap-3">
          <a
            href={address}
            target="_blank"
            rel="noreferrer"
            className="inline-flex w-fit max-w-full items-center gap-1.5 font-mono text-[13px] text-accent underline underline-offset-2 [overflow-wrap:anywhere]"
          >
            {address}
            <ExternalLink aria-hidden="true" className="size-3.5 shrink-0" />
          </a>
          <JsonView value={data} label="The manifest" isTall />
        </div>
      )}
    </Card>
  )
}

function NotPublished({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactNode {
  if (!(error instanceof ApiError)) return <LoadError error={error} onRetry={onRetry} />
  if (error.code === 'not_found') return <Notice kind="info">Nothing is deployed yet, so nothing is published.</Notice>
  return <Notice kind="warn">{error.message}</Notice>
}
