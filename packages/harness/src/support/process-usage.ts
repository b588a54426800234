import { readdirSync, readFileSync } from 'node:fs'

/** What Linux says of a process; the harness runs nowhere else. */
export interface ProcessUsage {
  /** User and system time of all its threads, milliseconds. */
  cpuMs: number
  /** The same of its first thread alone, where Node runs JavaScript; the rest is workers, the collector, file access. */
  mainThreadCpuMs: number
  residentBytes: number
  /** Open files and sockets. */
  descriptors: number
}

// The kernel reports processor time in hundredths of a second on every architecture that Node runs on.
const TICK_MS = 10

/** Throws where the process is gone. */
export function usageOf(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMs: cpuMsOf(`/proc/${pid}/stat`, OWN_TIME),
    mainThreadCpuMs: cpuMsOf(`/proc/${pid}/task/${pid}/stat`, OWN_TIME),
    residentBytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** User and system time of this process, milliseconds. */
export function ownCpuMs(): number {
  return cpuMsOf('/proc/self/stat', OWN_TIME)
}

/** A process and its children of now. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** The processes that a process has started, those that they have started, and so on; what was daemonized is nobody's. */
export function descendantsOf(pid: number): number[] {
  const children = endedOr(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    endedOr(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

/** User and system time, milliseconds, of a process, its children that run, and those it has waited for. */
export function familyCpuMs(pid: number): number {
  const [, ...children] = familyOf(pid)
  const ofChildren = children.map((child) => endedOr(() => cpuMsOf(`/proc/${child}/stat`, OWN_TIME), 0))
  return ofChildren.reduce((sum, ms) => sum + ms, cpuMsOf(`/proc/${pid}/stat`, [...OWN_TIME, ...CHILDREN_TIME]))
}

/** Time, milliseconds, that all processors of the machine were at work, and that they had. */
export function machineCpuMs(): { busyMs: number; totalMs: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + irq + soft + stolen
  return { busyMs: busy * TICK_MS, totalMs: (busy + idle + waiting) * TICK_MS }
}

// Columns of proc's “stat” after the name of the program.
const OWN_TIME = [11, 12]
const CHILDREN_TIME = [13, 14]

function cpuMsOf(file: string, columns: readonly number[]): number {
  const stat = readFileSync(file, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return columns.reduce((sum, column) => sum + Number(fields[column]), 0) * TICK_MS
}

// A process may end between the list of them and the look at it; its parent counts it then.
function endedOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
