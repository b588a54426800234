import type { DeploymentSource } from '@svc/contract'
import type { CliDeps } from '../deps.ts'

const HEAD = ['log', '-1', '--no-show-signature', '--no-color', '--encoding=UTF-8', '--format=%H%n%an']
// Files that git does not track, such as those of a build, are no difference from the commit.
const CHANGES = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=no']

const MAX_AUTHOR = 100

/** The commit that the project’s files are of, as git tells it; null without git, without a repository and before its first commit. */
export async function readSource({ git }: Pick<CliDeps, 'git'>, folder: string): Promise<DeploymentSource | null> {
  if (!git) return null
  const [head, changes] = await Promise.all([git(HEAD, folder), git(CHANGES, folder)])
  const [commit = '', name = ''] = head?.split('\n') ?? []
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return null
  const author = Array.from(name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, MAX_AUTHOR)
    .join('')
    .trim()
  return { commit, ...(author !== '' && { author }), ...(changes !== null && { dirty: changes !== '' }) }
}
