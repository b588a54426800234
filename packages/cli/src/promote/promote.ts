import { PromotedDeployment } from '@svc/contract'
import { runtimeCaller } from '../control-plane/caller.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { loadKeyedProject } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'

const TIMEOUT_MS = 30_000

interface Asked {
  version: number | 'candidate' | 'previous'
  /** Percent; absent where the deployment becomes the stable one. */
  traffic?: number | undefined
}

/** `svc promote` and `svc rollback`: what serves from now on. */
export async function promote(deps: CliDeps, terminal: Terminal, { version: asked, traffic }: Asked): Promise<void> {
  const project = await loadKeyedProject(deps, terminal)
  const done = terminal.progress(`Asking ${project.baseUrl}`)
  const answer = await request(deps, runtimeCaller(project), {
    method: 'POST',
    path: `/v1/deployments/${asked}/promote`,
    body: traffic === undefined ? {} : { traffic },
    timeoutMs: TIMEOUT_MS,
    answer: PromotedDeployment,
  }).finally(done)
  if (!answer.ok) throw refused(answer.refusal)
  const { version, status } = answer.value
  const said = traffic === undefined ? 'is stable and serves everything' : `is the candidate and serves ${traffic} %`
  terminal.success(`Deployment ${version} ${said}.`)
  terminal.result({ version, status, traffic: traffic ?? 100 })
}
