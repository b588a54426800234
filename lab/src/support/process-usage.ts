import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { sum } from './statistics.ts'

// The kernel reports processor time in hundredths of a second on every architecture that Node runs on.
export const TICK_MS = 10
// Columns of proc's “stat” after the name of the program.
const OWN_TIME = [11, 12]
const CHILDREN_TIME = [13, 14]

/** Throws where the process is gone. */
export function usageOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    /** User and system time of all its threads, milliseconds. */
    cpuMs: cpuMsOf(`/proc/${pid}/stat`, OWN_TIME),
    residentBytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid, pid)]
}

/** The processes that a process has started, those that they have started, and so on. */
function descendantsOf(pid: number): number[] {
  const threads = endedOr(() => readdirSync(`/proc/${pid}/task`).map(Number), [])
  const children = threads.flatMap((thread) => endedOr(() => childrenOf(pid, thread), []))
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function childrenOf(pid: number, thread: number): number[] {
  return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

export function killDescendants({ pid, kill }: Pick<NodeJS.Process, 'pid' | 'kill'>): void {
  for (const descendant of descendantsOf(pid)) endedOr(() => kill(descendant, 'SIGKILL'), false)
}

/** User and system time, milliseconds, of a process, its children that run, and the ended ones it has waited for. */
export function familyCpuMs(pid: number): number {
  const ofChildren = childrenOf(pid, pid).map((child) => endedOr(() => cpuMsOf(`/proc/${child}/stat`, OWN_TIME), 0))
  return sum([...ofChildren, cpuMsOf(`/proc/${pid}/stat`, [...OWN_TIME, ...CHILDREN_TIME])])
}

/** Time, milliseconds, that all processors of the machine were at work, and that they had. */
export function machineCpuMs(): { busyMs: number; totalMs: number } {
  const times = cpus().map(({ times: { idle, ...busy } }) => ({ idle, busy: sum(Object.values(busy)) }))
  const busyMs = sum(times.map(({ busy }) => busy))
  return { busyMs, totalMs: busyMs + sum(times.map(({ idle }) => idle)) }
}

function cpuMsOf(file: string, columns: readonly number[]): number {
  const stat = readFileSync(file, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return sum(columns.map((column) => Number(fields[column]))) * TICK_MS
}

// A process may end between the list of them and the look at it; its parent counts it then.
function endedOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
