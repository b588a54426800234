import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'

type Sent = Pick<Schemas['DeploymentListItem'], 'source' | 'deployedBy'>

/** The commit of a deployment and its author, as `svc deploy` found them in git. */
export function DeploymentCommit({ source }: Pick<Sent, 'source'>): ReactNode {
  const { commit, author, dirty } = source ?? {}
  if (commit === undefined && author === undefined) return '–'
  return (
    <span className="flex max-w-56 min-w-0 flex-col">
      <span className="flex items-baseline gap-x-2 max-md:flex-wrap">
        {commit !== undefined && (
          <code className="shrink-0 text-[13px] whitespace-nowrap" title={commit}>
            {short(commit)}
          </code>
        )}
        {author !== undefined && (
          <span className="truncate" title={author}>
            {author}
          </span>
        )}
      </span>
      {dirty && <span className="text-xs text-muted">with uncommitted changes</span>}
    </span>
  )
}

/** The same in sentences, with the key that deployed it; undefined where nothing is known. */
export function sentBy({ source, deployedBy }: Sent): string | undefined {
  const { commit, author, dirty } = source ?? {}
  const made = [
    commit !== undefined && `Commit ${short(commit)}`,
    author !== undefined && `by ${author}`,
    dirty && 'with uncommitted changes',
  ]
  const sentences = [made.filter(Boolean).join(' '), deployedBy !== null && `Deployed with ${deployedBy}`]
  const shown = sentences.flatMap((words) => (words ? [`${words}.`] : []))
  return shown.length > 0 ? shown.join(' ') : undefined
}

// As much as git shows of one.
const short = (commit: string) => commit.slice(0, 7)
