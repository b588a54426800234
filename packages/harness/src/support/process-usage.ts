import { readdirSync, readFileSync } from 'node:fs'

/** What Linux says of a process; the harness runs nowhere else. */
export interface ProcessUsage {
  /** User and system time of all its threads, milliseconds. */
  cpuMs: number
  residentBytes: number
  /** Open files and sockets. */
  descriptors: number
}

// The kernel reports processor time in hundredths of a second on every architecture that Node runs on.
const TICK_MS = 10

/** Throws where the process is gone. */
export function usageOf(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** User and system time, milliseconds, of a process, its children that run, and those it has waited for. */
export function treeCpuMs(pid: number): number {
  const own = statOf(pid)
  if (own === null) throw new Error(`process ${pid} is gone`)
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null && stat.parent === pid)
    .reduce((sum, stat) => sum + (stat?.cpuMs ?? 0), 0)
  return own.cpuMs + own.waitedForMs + running
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

/** User and system time of this process, milliseconds. */
export function ownCpuMs(): number {
  return statOf('self')?.cpuMs ?? 0
}

function statOf(pid: number | 'self'): { parent: number; cpuMs: number; waitedForMs: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(11, 15)
    return {
      parent: fields[1] ?? 0,
      cpuMs: (user + system) * TICK_MS,
      waitedForMs: (waitedUser + waitedSystem) * TICK_MS,
    }
  } catch {
    // It ended while the others were read.
    return null
  }
}
