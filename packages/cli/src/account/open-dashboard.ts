import { RuntimeId } from '@svc/contract'
import { dashboardUrl } from '../control-plane/dashboard-url.ts'
import type { CliDeps } from '../deps.ts'
import { baseUrlOf } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `svc open`: the dashboard at this project’s runtime. On a terminal a browser is asked to open it. */
export async function openDashboard(deps: CliDeps, terminal: Terminal): Promise<void> {
  const env = surroundings(deps)
  const runtimeId = RuntimeId.safeParse(env['SVC_RUNTIME_ID']).data ?? null
  const url = dashboardUrl(baseUrlOf(env), runtimeId)
  if (deps.stdout.isTTY && !terminal.isJson) deps.openInBrowser?.(url)
  terminal.line(url)
  terminal.result({ url, runtimeId })
}
