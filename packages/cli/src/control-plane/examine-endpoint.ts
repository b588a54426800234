import { DoctorReport } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { green, red } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Credential } from './answer.ts'
import { runtimeCaller } from './caller.ts'
import { refused } from './faults.ts'
import { request } from './request.ts'

// Above the half minute that the control plane takes at most.
const TIMEOUT_MS = 60_000

/** Has the control plane examine the runtime’s endpoint, or another one that it is to get, and prints each row. */
export async function examineEndpoint(
  deps: Pick<CliDeps, 'fetch'>,
  terminal: Terminal,
  { who, endpoint }: { readonly who: Credential; readonly endpoint?: string | undefined },
): Promise<DoctorReport> {
  const done = terminal.progress('Examining the endpoint')
  const answer = await request(deps, runtimeCaller(who), {
    method: 'POST',
    path: '/v1/runtime/doctor',
    ...(endpoint !== undefined && { body: { endpoint } }),
    timeoutMs: TIMEOUT_MS,
    answer: DoctorReport,
  }).finally(done)
  if (!answer.ok) throw refused(answer.refusal)
  printReport(terminal, answer.value)
  return answer.value
}

function printReport(terminal: Terminal, { rows }: DoctorReport): void {
  const width = Math.max(0, ...rows.map(({ check }) => check.length))
  for (const { check, ok, message, mend } of rows) {
    terminal.line(ok ? green('✔') : red('✖'), ` ${check.padEnd(width)}  ${message}`)
    if (mend !== null) terminal.line(`  ${' '.repeat(width)}  ${mend}`)
  }
}

/** How many checks of a report failed, in words. */
export function failedChecks({ rows }: DoctorReport): string {
  const failed = rows.filter(({ ok }) => !ok).length
  return `${failed} of ${rows.length} ${rows.length === 1 ? 'check' : 'checks'} of the endpoint failed.`
}
